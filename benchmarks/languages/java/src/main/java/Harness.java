import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.function.IntPredicate;

import crawlercommons.robots.BaseRobotRules;
import crawlercommons.robots.SimpleRobotRulesParser;

/**
 * A parser in Java, asked over stdin: {@code java Harness PEER FOLDER}. The questions and the
 * answers are those of benchmarks/languages/protocol.py.
 */
public final class Harness {
    private static final String PEER = "crawler-commons";
    private static final String PROPERTIES =
            "/META-INF/maven/com.github.crawler-commons/crawler-commons/pom.properties";
    private static final byte TOLD_NOTHING = 'e';

    /** What is parsed ends here, so that no parsing can be left out. */
    private static volatile Object sink;

    private final Path folder;
    private final Map<String, Site> sites = new HashMap<>();
    private final SimpleRobotRulesParser parser = new SimpleRobotRulesParser();
    private List<Site> contacts;

    private Harness(Path folder) {
        this.folder = folder;
    }

    public static void main(String[] words) throws IOException {
        if (words.length != 2 || !words[0].equals(PEER)) {
            throw new IllegalArgumentException("Harness " + PEER + " FOLDER");
        }
        Harness harness = new Harness(Path.of(words[1]));
        System.out.printf(
                "{\"peer\": \"%s\", \"version\": \"%s\", \"runtime\": \"Java %s\"}%n",
                PEER, version(), Runtime.version().feature() + "." + Runtime.version().interim()
                        + "." + Runtime.version().update());
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(harness.replyTo(line.split(" ")));
        }
    }

    private static String version() throws IOException {
        Properties properties = new Properties();
        properties.load(BaseRobotRules.class.getResourceAsStream(PROPERTIES));
        return properties.getProperty("version");
    }

    private Reply replyTo(String[] words) throws IOException {
        switch (words[0]) {
            case "parse": {
                List<Site> all = allContacts();
                return measured(all.size(), number(words[1]), at -> parsedOnly(all.get(at)));
            }
            case "contact": {
                List<Site> all = allContacts();
                return measured(all.size(), number(words[1]), at -> parsedAndAsked(all.get(at)));
            }
            case "load":
                site(words[1]);
                return new Reply(0, 0, new byte[0]);
            case "first": {
                Site site = site(words[1]);
                return measured(1, number(words[2]), at -> parsedAndAsked(site));
            }
            case "answer":
                return answer(site(words[1]), number(words[2]), number(words[3]));
            default:
                throw new IllegalArgumentException("`" + words[0] + "` is no question");
        }
    }

    /** Parsed and asked twice before the clock starts: what is made once is made. */
    private Reply answer(Site site, int count, int passes) {
        BaseRobotRules rules = parse(site);
        measured(1, 2, at -> rules.isAllowed(site.urls.get(at)));
        return measured(count, passes, at -> rules.isAllowed(site.urls.get(at)));
    }

    // --- the peer ---------------------------------------------------------------------------

    private BaseRobotRules parse(Site site) {
        return parser.parseContent(site.address, site.body, "text/plain", site.tokens);
    }

    private boolean parsedOnly(Site site) {
        sink = parse(site);
        return true;
    }

    private boolean parsedAndAsked(Site site) {
        return parse(site).isAllowed(site.urls.get(0));
    }

    // --- measuring --------------------------------------------------------------------------

    private static Reply measured(int count, int passes, IntPredicate ask) {
        byte[] answers = new byte[count];
        long allowed = 0;
        long start = System.nanoTime();
        for (int pass = 0; pass < passes; pass++) {
            for (int at = 0; at < count; at++) {
                answers[at] = answer(ask, at);
                allowed += answers[at] == '1' ? 1 : 0;
            }
        }
        return new Reply(System.nanoTime() - start, allowed, answers);
    }

    private static byte answer(IntPredicate ask, int at) {
        try {
            return (byte) (ask.test(at) ? '1' : '0');
        } catch (RuntimeException | StackOverflowError why) {
            return TOLD_NOTHING;
        }
    }

    /** The answers of the last pass, and how many of all passes were "allowed". */
    private static final class Reply {
        private final long nanos;
        private final long allowed;
        private final byte[] answers;

        Reply(long nanos, long allowed, byte[] answers) {
            this.nanos = nanos;
            this.allowed = allowed;
            this.answers = answers;
        }

        @Override
        public String toString() {
            String told = new String(answers, StandardCharsets.US_ASCII);
            return String.format(
                    "{\"ns\": %d, \"allowed\": %d, \"answers\": \"%s\"}", nanos, allowed, told);
        }
    }

    // --- inputs -----------------------------------------------------------------------------

    /** A body, a product token, URLs, and where the file would have come from. */
    private static final class Site {
        private final byte[] body;
        private final Set<String> tokens;
        private final List<String> urls = new ArrayList<>();
        private final String address;

        Site(List<byte[]> entries) {
            body = entries.get(0);
            // the parser asks for product tokens in lower case
            tokens = Set.of(text(entries.get(1)).toLowerCase(Locale.ROOT));
            entries.subList(2, entries.size()).forEach(url -> urls.add(text(url)));
            String first = urls.get(0);
            address = first.substring(0, first.indexOf('/', "https://".length())) + "/robots.txt";
        }

        private static String text(byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    private List<Site> allContacts() throws IOException {
        if (contacts == null) {
            List<byte[]> entries = unpacked("contacts");
            contacts = new ArrayList<>();
            for (int at = 0; at < entries.size(); at += 3) {
                contacts.add(new Site(entries.subList(at, at + 3)));
            }
        }
        return contacts;
    }

    private Site site(String file) throws IOException {
        if (!sites.containsKey(file)) {
            sites.put(file, new Site(unpacked(file)));
        }
        return sites.get(file);
    }

    /** The entries of a pack: for each its length in decimal, a line feed, its bytes. */
    private List<byte[]> unpacked(String file) throws IOException {
        byte[] pack = Files.readAllBytes(folder.resolve(file + ".pack"));
        List<byte[]> entries = new ArrayList<>();
        int at = 0;
        while (at < pack.length) {
            int head = at;
            while (pack[head] != '\n') {
                head++;
            }
            int length = number(new String(pack, at, head - at, StandardCharsets.US_ASCII));
            at = head + 1 + length;
            entries.add(Arrays.copyOfRange(pack, head + 1, at));
        }
        return entries;
    }

    private static int number(String word) {
        return Integer.parseInt(word);
    }
}
