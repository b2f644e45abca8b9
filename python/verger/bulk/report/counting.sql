-- The numbers of a report.
--
-- In: the tables of `tables.sql`. Out: a view for each part of the `Summary`.

CREATE MACRO count_of(number) AS coalesce(number, 0)::BIGINT;

-- A power of two with its unit, such as `64` or `2 Mi`.
CREATE MACRO with_unit(exponent) AS
(2 ** (exponent % 10))::INTEGER || ['', ' Ki', ' Mi', ' Gi', ' Ti', ' Pi', ' Ei'][exponent // 10 + 1];

-- Days with captures, by runs: a run ends before more than three days without any.
CREATE VIEW runs AS
WITH days AS (
    SELECT DISTINCT day::INTEGER AS day FROM captures WHERE day IS NOT NULL
), ends AS (
    SELECT day, coalesce(day - lag(day) OVER (ORDER BY day) > 4, false) AS is_first FROM days
)
SELECT day, count(*) FILTER (is_first) OVER (ORDER BY day) AS run FROM ends;

-- What a snapshot is: as asked for, or a run of days (auto); months of the calendar if a run is
-- longer than a month.
CREATE VIEW units AS
WITH lengths AS (SELECT max(day) - min(day) AS days FROM runs GROUP BY run)
SELECT if(unit = 'auto' AND (SELECT max(days) FROM lengths) >= 31, 'month', unit) AS unit FROM asked;

CREATE VIEW snapshot_of_days AS
WITH begins AS (
    SELECT
        day,
        CASE unit
            WHEN 'day' THEN day
            WHEN 'auto' THEN min(day) OVER (PARTITION BY run)
            ELSE date_trunc(unit, DATE '1970-01-01' + day)::DATE - DATE '1970-01-01'
        END AS begin
    FROM runs, units
)
SELECT day, dense_rank() OVER (ORDER BY begin) - 1 AS snapshot FROM begins
UNION ALL
SELECT NULL, 0 WHERE NOT EXISTS (FROM runs);

CREATE VIEW times AS
SELECT
    count(*) AS captures,
    count(*) FILTER (origin IS NULL) AS strays,
    count(*) FILTER (day IS NULL) AS undated,
    make_timestamp(min(time) FILTER (day IS NOT NULL)) AS first,
    make_timestamp(max(time) FILTER (day IS NOT NULL)) AS last
FROM captures;

-- Which captures count: one for each origin in each snapshot. The latest with an answer, a file or
-- that there is none: a later failure does not count, as for every reader of a table. Otherwise the
-- latest that is not a redirect; otherwise the latest. Of equal times, the later row is the latest;
-- a capture without a time comes before all others.
CREATE VIEW chosen AS
SELECT source, number, snapshot
FROM captures JOIN calendar ON captures.day IS NOT DISTINCT FROM calendar.day
WHERE origin IS NOT NULL
QUALIFY 1 = row_number() OVER (
    PARTITION BY snapshot, origin
    ORDER BY
        CASE access WHEN 'redirect' THEN 0 WHEN 'successful' THEN 2 WHEN 'unavailable' THEN 2 ELSE 1 END DESC,
        time DESC NULLS LAST,
        source DESC,
        number DESC
);

CREATE TABLE counted (source INTEGER, number BIGINT, snapshot INTEGER);  -- what `chosen` gave

-- Of a series that stores only changes: what counts in a snapshot without a capture of the origin, the
-- one that counted in the last snapshot before.
CREATE VIEW carried AS
WITH held AS (
    SELECT origin, snapshot, source, number FROM captures JOIN counted USING (source, number)
), grid AS (
    SELECT origin, snapshot
    FROM (SELECT DISTINCT origin FROM held) CROSS JOIN (SELECT DISTINCT snapshot FROM calendar)
), filled AS (
    SELECT
        held.number IS NULL AS is_empty,
        last_value(source IGNORE NULLS) OVER before AS source,
        last_value(number IGNORE NULLS) OVER before AS number,
        snapshot
    FROM grid LEFT JOIN held USING (origin, snapshot)
    WINDOW before AS (PARTITION BY origin ORDER BY snapshot)
)
SELECT source, number, snapshot FROM filled WHERE is_empty AND number IS NOT NULL;

CREATE VIEW sites AS SELECT * FROM captures JOIN counted USING (source, number);

-- The files of the latest snapshot that were read.
CREATE VIEW files AS
SELECT * FROM sites
WHERE access = 'successful' AND snapshot = (SELECT max(snapshot) FROM calendar);

CREATE TABLE digests (digest BLOB);  -- those of `files`, so that no join takes memory from counting

CREATE VIEW snapshots AS
WITH spans AS (
    SELECT snapshot, DATE '1970-01-01' + min(day) AS first, DATE '1970-01-01' + max(day) AS last
    FROM calendar GROUP BY snapshot
), named AS (
    SELECT
        *,
        CASE unit WHEN 'year' THEN 4 WHEN 'month' THEN 7 ELSE 10 END AS length,
        coalesce(left(first::VARCHAR, length), 'no time known') AS start
    FROM spans, units
), counts AS (
    SELECT snapshot, count(*) AS sites, count(*) FILTER (access = 'successful') AS files
    FROM sites GROUP BY snapshot
)
SELECT
    first,
    last,
    start,
    if(unit = 'auto' AND first <> last, start || ' to ' || last, start) AS label,
    coalesce(sites, 0) AS sites,
    coalesce(files, 0) AS files
FROM named LEFT JOIN counts USING (snapshot) ORDER BY snapshot;

CREATE VIEW answers AS
WITH answered AS (
    SELECT
        -- a status has three digits (RFC 9110 section 15)
        CASE WHEN status BETWEEN 100 AND 999 THEN status WHEN status IS NOT NULL THEN -1 END AS status,
        coalesce(access::VARCHAR, '(other)') AS access
    FROM sites WHERE snapshot = (SELECT max(snapshot) FROM calendar)
)
SELECT
    status,
    access,
    CASE WHEN status IS NULL THEN 'no status' WHEN status BETWEEN 100 AND 599 THEN (status // 100) || 'xx' ELSE 'other' END AS status_class,
    if(status > 0, status::VARCHAR, status_class) AS label,
    count(*) AS sites
FROM answered
GROUP BY status, access ORDER BY sites DESC, access, coalesce(status, 0);

-- Sites by what each crawler may fetch there, and files of the latest snapshot by what the groups
-- that name it say. `own` is the posture of these groups.
CREATE VIEW judged AS
WITH alike AS (
    SELECT layout, snapshot, access, posture, crawlers, count(*) AS sites FROM sites GROUP BY ALL
), named AS (
    SELECT
        layout, snapshot, access, posture, sites,
        unnest(crawlers) AS own, generate_subscripts(crawlers, 1) AS place
    FROM alike
), told AS (
    SELECT name AS token, snapshot, access, posture, own, sites
    FROM named JOIN names USING (layout, place) WHERE kind = 'crawler' AND name <> '*'
    UNION ALL
    SELECT '*', snapshot, access, posture, NULL, sites FROM alike
)
SELECT
    token,
    snapshot,
    CASE WHEN access <> 'redirect' THEN  -- nothing is known of a redirect, or of an unknown word
        CASE coalesce(own, posture)
            WHEN 'all' THEN if(access = 'successful', 'open', 'open without a file')
            WHEN 'some' THEN 'partly'
            WHEN 'none' THEN if(access = 'successful', 'closed', 'closed without a file')
        END
    END AS standing,
    CASE WHEN access = 'successful' AND snapshot = (SELECT max(snapshot) FROM calendar) THEN
        CASE coalesce(own::VARCHAR, 'default')
            WHEN 'all' THEN 'open'
            WHEN 'some' THEN 'partly'
            WHEN 'none' THEN 'closed'
            WHEN 'default' THEN 'default'
        END
    END AS naming,
    sum(sites) AS sites
FROM told GROUP BY ALL;

-- The same for each crawler: in each snapshot, and in the files of the latest; first `*`, then by
-- the share of sites that are closed to them.
CREATE VIEW crawlers AS
WITH tokens AS (
    SELECT '*' AS token UNION SELECT name FROM names WHERE kind = 'crawler'
), counts AS MATERIALIZED (
    FROM judged
), of_snapshots AS (
    SELECT
        token,
        snapshot,
        count_of(sum(sites) FILTER (standing = 'closed')) AS closed,
        count_of(sum(sites) FILTER (standing = 'closed without a file')) AS closed_without,
        count_of(sum(sites) FILTER (standing = 'partly')) AS partly,
        count_of(sum(sites) FILTER (standing = 'open without a file')) AS open_without,
        count_of(sum(sites) FILTER (standing = 'open')) AS open
    FROM tokens CROSS JOIN (SELECT DISTINCT snapshot FROM calendar)
    LEFT JOIN counts USING (token, snapshot)
    GROUP BY token, snapshot
), latest AS (
    SELECT
        token,
        (closed + closed_without) / known AS closed,
        partly / known AS partly
    FROM (SELECT *, greatest(closed + closed_without + partly + open_without + open, 1) AS known FROM of_snapshots)
    WHERE snapshot = (SELECT max(snapshot) FROM calendar)
), standings AS (
    SELECT token, list({
        'closed': closed,
        'closed without a file': closed_without,
        'partly': partly,
        'open without a file': open_without,
        'open': open
    } ORDER BY snapshot) AS standings
    FROM of_snapshots GROUP BY token
), namings AS (
    SELECT token, {
        'closed': count_of(sum(sites) FILTER (naming = 'closed')),
        'partly': count_of(sum(sites) FILTER (naming = 'partly')),
        'open': count_of(sum(sites) FILTER (naming = 'open')),
        'default': count_of(sum(sites) FILTER (naming = 'default'))
    } AS namings
    FROM tokens LEFT JOIN counts USING (token) WHERE token <> '*' GROUP BY token
)
SELECT token, standings, namings
FROM standings JOIN latest USING (token) LEFT JOIN namings USING (token)
ORDER BY token <> '*', latest.closed DESC, latest.partly DESC, lower(token), token;

CREATE VIEW contents AS
SELECT
    count(*) AS files,
    coalesce(sum(bytes), 0) AS size,
    count(*) FILTER (truncated) AS truncated,
    count(*) FILTER (licenses > 0) AS licensed,
    (SELECT count(*) FROM (SELECT DISTINCT digest FROM digests)) AS different
FROM files;

-- From the smallest size to the largest that has a file. Bin 0 is empty files, bin 1 is below 64
-- bytes, then each is twice as wide as the one before.
CREATE VIEW sizes AS
WITH filled AS (
    SELECT if(bytes > 0, 1 + floor(log2(greatest(bytes >> 5, 1))), 0)::INTEGER AS bin, count(*) AS files
    FROM files GROUP BY bin
), bins AS (
    SELECT unnest(range(coalesce(max(bin) + 1, 0)))::INTEGER AS bin FROM filled
)
SELECT
    if(bin < 2, bin, 64 * 2 ** (bin - 2))::HUGEINT AS least,
    if(bin < 1, 1, 64 * 2 ** (bin - 1))::HUGEINT AS less,
    CASE bin WHEN 0 THEN '0' WHEN 1 THEN '1' ELSE with_unit(bin + 4) END AS start,
    if(bin < 1, start, start || ' to below ' || with_unit(bin + 5)) AS label,
    coalesce(files, 0) AS files
FROM bins LEFT JOIN filled USING (bin) ORDER BY bin;

CREATE VIEW fields AS
WITH lines AS (
    SELECT layout, unnest(fields) AS lines, generate_subscripts(fields, 1) AS place FROM files
), used AS (
    SELECT layout, place, count(*) FILTER (lines > 0) AS files, sum(lines) AS lines
    FROM lines GROUP BY layout, place
)
SELECT
    replace(names.name, '_', '-') AS name,
    coalesce(sum(files), 0) AS files,
    coalesce(sum(lines), 0) AS times
FROM names LEFT JOIN used USING (layout, place) WHERE kind = 'field'
GROUP BY 1 ORDER BY files DESC, times DESC, 1;

CREATE VIEW signals AS
WITH said AS (
    SELECT 'search' AS name, search AS may FROM files
    UNION ALL
    SELECT 'ai-input', ai_input FROM files
    UNION ALL
    SELECT 'ai-train', ai_train FROM files
), names (place, name) AS (VALUES (1, 'search'), (2, 'ai-input'), (3, 'ai-train'))
SELECT
    names.name AS name,
    count(*) FILTER (may) AS yes,
    count(*) FILTER (NOT may) AS no,
    count(said.name) FILTER (may IS NULL) AS unsaid
FROM names LEFT JOIN said USING (name) GROUP BY place, names.name ORDER BY place;

-- Files by what each mechanism says of each use, to any of the crawlers that were asked about.
CREATE VIEW uses AS
WITH said AS (
    SELECT
        unnest(uses) AS said,
        generate_subscripts(uses, 1) AS place
    FROM files WHERE uses IS NOT NULL
)
SELECT
    said.use AS use,
    said.mechanism AS mechanism,
    count(*) FILTER (said.disallows > 0 AND said.allows > 0) AS mixed,
    count(*) FILTER (said.disallows > 0) - mixed AS no,
    count(*) FILTER (said.allows > 0) - mixed AS yes,
    count(*) - mixed - no - yes AS unsaid
FROM said GROUP BY place, said.use, said.mechanism ORDER BY place;

-- Files that contradict themselves: on any use, then by the mechanisms.
CREATE VIEW conflicts AS
WITH pairs AS (
    SELECT source, number, unnest(conflicts) AS pair FROM files
), counts AS (
    SELECT
        pair.use AS use,
        coalesce(pair.allows, '(other)') AS allows,
        coalesce(pair.disallows, '(other)') AS disallows,
        count(DISTINCT (source, number)) AS files
    FROM pairs GROUP BY ALL
)
SELECT 'any use' AS use, 'any' AS allows, 'any' AS disallows, count(DISTINCT (source, number)) AS files
FROM pairs HAVING files > 0
UNION ALL
FROM (FROM counts WHERE use IS NOT NULL ORDER BY files DESC, use, allows, disallows LIMIT 100);

-- verger has some dozens of codes; those of another hand are counted together from some point on.
CREATE VIEW findings AS
WITH found AS (SELECT unnest(findings) AS finding FROM files), used AS (
    SELECT coalesce(finding.code, '(other)') AS code, count(finding.count) AS files, coalesce(sum(finding.count), 0) AS times
    FROM found GROUP BY code
), ranked AS (
    SELECT *, row_number() OVER (ORDER BY files DESC, times DESC, code) AS rank FROM used
)
SELECT if(rank <= 2000, code, '(other)') AS name, sum(files) AS files, sum(times) AS times
FROM ranked GROUP BY name ORDER BY files DESC, times DESC, name;

-- The files that most sites share, byte for byte.
CREATE VIEW repeated AS
WITH common AS (
    SELECT digest, count(*) AS files FROM digests
    GROUP BY digest HAVING files > 1 ORDER BY files DESC, digest LIMIT 20
)
SELECT
    hex(digest).lower() AS digest,
    any_value(common.files) AS files,
    coalesce(max(bytes), 0) AS size,
    CASE arg_min(posture, (source, number))
        WHEN 'all' THEN 'open' WHEN 'some' THEN 'partly' WHEN 'none' THEN 'closed' WHEN 'unknown' THEN 'unknown' ELSE '-'
    END AS posture,
    coalesce(max(sitemaps), 0) AS sitemaps,
    min(origin) AS first,
    max(origin) AS last
FROM files JOIN common USING (digest) GROUP BY files.digest, common.files
ORDER BY common.files DESC, files.digest;

-- A site counts once for each purpose of crawlers, by its gravest change for them.
CREATE VIEW changed AS
WITH known AS (
    SELECT * FROM changes WHERE origin IS NOT NULL AND severity IS NOT NULL
), parts AS (
    SELECT 'any crawler' AS who, origin, severity FROM known
    UNION ALL
    SELECT '*', origin, severity FROM known WHERE list_contains(agents, '*')
    UNION ALL
    SELECT unnest(purposes), origin, severity FROM known
), gravest AS (
    SELECT who, origin, min(severity) AS severity FROM parts WHERE who IS NOT NULL GROUP BY who, origin
)
SELECT who, map_from_entries(list((severity, sites))) AS sites
FROM (SELECT who, severity::VARCHAR AS severity, count(*) AS sites FROM gravest GROUP BY ALL)
GROUP BY who
ORDER BY who <> 'any crawler', who <> '*', who;
