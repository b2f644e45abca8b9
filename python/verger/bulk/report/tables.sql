-- What a report counts: the shape of `captures` and `changes`.
--
-- `counting.py` adds the rows of each source to these empty tables, as views of Parquet files.

CREATE TYPE access AS ENUM ('successful', 'redirect', 'unavailable', 'unreachable');
CREATE TYPE posture AS ENUM ('all', 'some', 'none', 'unknown');  -- `default` is null: no group names it
CREATE TYPE severity AS ENUM ('site-closed', 'site-opened', 'opened', 'closed', 'unproved');  -- gravest first

-- The day of a time, since 1970; null if no robots.txt file can have been fetched then: the protocol
-- dates from 1994.
CREATE MACRO plausible_day(micros) AS
CASE WHEN micros >= epoch_us(TIMESTAMP '1994-01-01') AND micros < epoch_us(TIMESTAMP '2200-01-01') THEN micros // 86400000000 END;

CREATE TABLE no_captures (
    source INTEGER,
    layout INTEGER,        -- of sources with the same columns
    number BIGINT,         -- the place of the row in its source
    day INTEGER,           -- since 1970; null if the time is unknown, or not plausible
    time BIGINT,           -- microseconds since 1970
    origin VARCHAR,
    status BIGINT,
    access access,         -- null for unknown words, as all below
    bytes BIGINT,
    digest BLOB,
    truncated BOOLEAN,
    sitemaps BIGINT,
    search BOOLEAN, ai_input BOOLEAN, ai_train BOOLEAN,
    licenses BIGINT,       -- null in tables of older versions, as the two below
    uses STRUCT(use VARCHAR, mechanism VARCHAR, allows BIGINT, disallows BIGINT)[],
    conflicts STRUCT(use VARCHAR, allows VARCHAR, disallows VARCHAR)[],
    posture posture,
    findings STRUCT(code VARCHAR, count BIGINT)[],
    fields BIGINT[],       -- lines, in the order of `names`
    crawlers posture[]     -- postures by name, in the order of `names`
);

CREATE TABLE no_changes (origin VARCHAR, severity severity, agents VARCHAR[], purposes VARCHAR[]);

CREATE TABLE names (layout INTEGER, kind VARCHAR, place INTEGER, name VARCHAR);

CREATE TABLE asked (unit VARCHAR);  -- auto, day, month or year: what a snapshot is; one row

CREATE TABLE calendar (day INTEGER, snapshot INTEGER);  -- one row with a null if no day is known
