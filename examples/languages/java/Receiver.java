import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public final class Receiver {
    static final String KEYS_PATH = "/api/notifications/v1/webhook-http-signature/public-keys";
    static final int BODY_MAX_BYTES = 256 * 1024;
    static final long MAX_AGE_SECONDS = 300;
    static final long MAX_AHEAD_SECONDS = 60;

    static final String BASE_URL = envOr("TOCSIN_BASE_URL", "http://127.0.0.1:8080");
    /** The host of the webhook URL in lowercase, with its port if it is not 443. */
    static final String AUTHORITY = envOr("AUTHORITY", "hooks.example.com");
    static final int PORT = Integer.parseInt(envOr("PORT", "3000"));

    static final PublicKeys KEYS = new PublicKeys(URI.create(BASE_URL + KEYS_PATH));

    /** The request is not from Tocsin, or not for this receiver. */
    static final class Rejected extends Exception {
        private static final long serialVersionUID = 1;

        Rejected(String reason) {
            super(reason);
        }
    }

    /** The listed public keys of the server: kept for 300 s, fetched for an unknown ID at most every 30 s. */
    static final class PublicKeys {
        /** The members of one listed key, which are strings without quotes in them. */
        private static final Pattern KEY = Pattern.compile("\\{[^{}]*\\}");
        private static final Pattern ID = Pattern.compile("\"keyId\"\\s*:\\s*\"([A-Za-z0-9_-]{43})\"");
        private static final Pattern PEM = Pattern.compile(
            "\"publicKeyPem\"\\s*:\\s*\"-----BEGIN PUBLIC KEY-----\\\\n([A-Za-z0-9+/=]+)\\\\n-----END PUBLIC KEY-----");

        private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
        private final HttpRequest request;
        private Map<String, PublicKey> keys = Map.of();
        /** In nanoseconds of {@link System#nanoTime}; null before the first list. */
        private Long fetchedAt;

        PublicKeys(URI url) {
            request = HttpRequest.newBuilder(url).timeout(Duration.ofSeconds(5)).build();
        }

        /** The key with an ID; null if it is not listed. Fails if the list cannot be fetched. */
        synchronized PublicKey get(String id) throws IOException, InterruptedException {
            long age = fetchedAt == null ? Long.MAX_VALUE : (System.nanoTime() - fetchedAt) / 1_000_000_000;
            if (age > 300 || (age > 30 && !keys.containsKey(id))) {
                keys = fetch();
                fetchedAt = System.nanoTime();
            }
            return keys.get(id);
        }

        private Map<String, PublicKey> fetch() throws IOException, InterruptedException {
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IOException("the public keys were answered with " + response.statusCode());
            }
            Map<String, PublicKey> fetched = new HashMap<>();
            for (Matcher key = KEY.matcher(response.body()); key.find(); ) {
                Matcher id = ID.matcher(key.group());
                Matcher pem = PEM.matcher(key.group());
                if (!id.find() || !pem.find()) {
                    throw new IOException("a public key is not readable");
                }
                try {
                    byte[] der = Base64.getDecoder().decode(pem.group(1));
                    fetched.put(id.group(1), KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(der)));
                } catch (GeneralSecurityException | IllegalArgumentException cause) {
                    throw new IOException("a public key is not an Ed25519 key", cause);
                }
            }
            return fetched;
        }
    }

    /** The parameters of Tocsin's signature. Their text is also the last line of the signature base. */
    static final Pattern PARAMETERS = Pattern.compile(
        "\\(\"@method\" \"@authority\" \"@path\" \"content-digest\" \"content-type\"\\)"
            + ";created=(\\d{1,15});keyid=\"([A-Za-z0-9_-]{43})\";alg=\"ed25519\"");

    /** The value of a header, its lines joined. */
    static String field(HttpExchange exchange, String name) {
        return String.join(", ", exchange.getRequestHeaders().getOrDefault(name, List.of()));
    }

    /**
     * The value of one key of a structured dictionary (RFC 8941, section 3.2), which may have other keys, such as the
     * signature of a proxy.
     */
    static String member(String field, String key) throws Rejected {
        List<String> found = new ArrayList<>();
        boolean isQuoted = false;
        int start = 0;
        for (int i = 0; i <= field.length(); i++) {
            char c = i < field.length() ? field.charAt(i) : ',';
            if (isQuoted && c == '\\') {
                i++;
            } else if (c == '"') {
                isQuoted = !isQuoted;
            } else if (i >= field.length() || (c == ',' && !isQuoted)) {
                String member = field.substring(start, Math.min(i, field.length())).strip();
                if (member.startsWith(key + "=")) {
                    found.add(member.substring(key.length() + 1));
                }
                start = i + 1;
            }
        }
        if (found.size() != 1) {
            throw new Rejected(found.size() + " members " + key + " instead of one");
        }
        return found.get(0);
    }

    /** Decodes {@code :…:} (RFC 8941, section 3.3.5). */
    static byte[] byteSequence(String value) throws Rejected {
        if (value.length() < 2 || !value.startsWith(":") || !value.endsWith(":")) {
            throw new Rejected("not a byte sequence");
        }
        try {
            return Base64.getDecoder().decode(value.substring(1, value.length() - 1));
        } catch (IllegalArgumentException cause) {
            throw new Rejected("not base64");
        }
    }

    /** Throws unless Tocsin signed this request, with this body, for this host. */
    static void verify(HttpExchange exchange, byte[] body)
        throws Rejected, GeneralSecurityException, IOException, InterruptedException {
        // The body has the digest that the header announces.
        String contentDigest = field(exchange, "Content-Digest");
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
        if (!MessageDigest.isEqual(digest, byteSequence(member(contentDigest, "sha-256")))) {
            throw new Rejected("the body does not match Content-Digest");
        }

        // The signature covers what it must, and is neither too old nor from the future.
        String input = member(field(exchange, "Signature-Input"), "sig1");
        Matcher parameters = PARAMETERS.matcher(input);
        if (!parameters.matches()) {
            throw new Rejected("the signature has other parameters than Tocsin's");
        }
        long age = System.currentTimeMillis() / 1000 - Long.parseLong(parameters.group(1));
        if (age > MAX_AGE_SECONDS || age < -MAX_AHEAD_SECONDS) {
            throw new Rejected("the signature was created " + age + " s ago");
        }
        byte[] signature = byteSequence(member(field(exchange, "Signature"), "sig1"));
        if (signature.length != 64) {
            throw new Rejected("the signature is not 64 bytes long");
        }

        // The key is one that the server lists.
        PublicKey key = KEYS.get(parameters.group(2));
        if (key == null) {
            throw new Rejected("the key is not listed");
        }

        // The host is our own, whatever `Host` says. The path is as received, still percent-encoded, without the query.
        String base = String.join(
            "\n",
            "\"@method\": " + exchange.getRequestMethod(),
            "\"@authority\": " + AUTHORITY,
            "\"@path\": " + exchange.getRequestURI().toString().split("\\?", 2)[0],
            "\"content-digest\": " + contentDigest,
            "\"content-type\": " + field(exchange, "Content-Type"),
            "\"@signature-params\": " + input);
        Signature verifier = Signature.getInstance("Ed25519");
        verifier.initVerify(key);
        verifier.update(base.getBytes(StandardCharsets.UTF_8));
        try {
            if (verifier.verify(signature)) {
                return;
            }
        } catch (GeneralSecurityException cause) {
            // Bytes that cannot be a signature.
        }
        throw new Rejected("the signature is not valid");
    }

    /** Replace this: store the notification, unless it is already stored. */
    static synchronized void process(String id, byte[] body) {
        System.out.print(id + " ");
        System.out.write(body, 0, body.length);
        System.out.println();
        System.out.flush();
    }

    static int receive(HttpExchange exchange) {
        try {
            // The raw body, before anything parses it.
            byte[] body = exchange.getRequestBody().readNBytes(BODY_MAX_BYTES + 1);
            if (body.length > BODY_MAX_BYTES) {
                return 413;
            }
            try {
                verify(exchange, body);
            } catch (IOException unavailable) {
                // The keys cannot be fetched. Tocsin sends the notification again later.
                System.err.println(unavailable);
                return 503;
            }
            process(field(exchange, "Notification-Id"), body);
            return 204;
        } catch (Rejected rejected) {
            System.err.println(rejected.getMessage());
            return 401;
        } catch (Exception failure) {
            System.err.println(failure);
            return 500;
        }
    }

    static String envOr(String name, String otherwise) {
        return System.getenv().getOrDefault(name, otherwise);
    }

    public static void main(String[] args) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT), 0);
        server.setExecutor(Executors.newFixedThreadPool(16));
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(receive(exchange), -1);
            }
        });
        server.start();
        System.out.println("receiving on port " + PORT);
    }
}
