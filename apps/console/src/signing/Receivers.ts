const examples = import.meta.glob<string>(
  "../../../../examples/src/receive-{node,express,fastify,fetch}.ts",
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
)

/** Receivers to copy: the examples, which the tests run, with the address of this server in them. */
export const receivers = ["Node", "Express", "Fastify", "Fetch"].map((name) => ({
  name,
  code: (baseUrl: string): string => {
    const example = examples[`../../../../examples/src/receive-${name.toLowerCase()}.ts`] ?? ""
    // Without the comment on how to run it in the clone.
    return example.replace(/^(\/\/.*\n)+/, "").replaceAll("http://127.0.0.1:8080", baseUrl)
  },
}))
