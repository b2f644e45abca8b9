import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import crawlercommons.robots.SimpleRobotRulesParser;

/** crawler-commons behind the protocol of the robots.txt test suite. */
public final class Adapter {
    public static void main(String[] words) throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonObject asked = JsonParser.parseString(line).getAsJsonObject();
            JsonObject answer = new JsonObject();
            answer.add("id", asked.get("id"));
            try {
                answer.addProperty("allowed", isAllowed(asked));
            } catch (RuntimeException why) {
                answer.addProperty("cannot", why.toString());
            }
            System.out.println(answer);
        }
    }

    /** Takes product tokens in lower case, as its documentation asks for. */
    private static boolean isAllowed(JsonObject asked) {
        byte[] robots = Base64.getDecoder().decode(asked.get("robots").getAsString());
        String url = asked.get("url").getAsString();
        String token = asked.get("agent").getAsString().toLowerCase(Locale.ROOT);
        String file = url.replaceFirst("^([^:/]+://[^/?#]*).*$", "$1/robots.txt");
        return new SimpleRobotRulesParser()
                .parseContent(file, robots, "text/plain", Set.of(token))
                .isAllowed(url);
    }
}
