const examples = import.meta.glob<string>(
  "../../../../examples/src/receive-{node,express,fastify,fetch}.ts",
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
)

/** Example receivers with the base URL of this server. The test suite runs them. */
export const receivers = ["Node", "Express", "Fastify", "Fetch"].map((name) => ({
  name,
  code: (baseUrl: string): string => {
    const example = examples[`../../../../examples/src/receive-${name.toLowerCase()}.ts`] ?? ""
    // The leading comment says how to run it in the repository.
    return example.replace(/^(\/\/.*\n)+/, "").replaceAll("http://127.0.0.1:8080", baseUrl)
  },
}))
