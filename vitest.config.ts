import { defineConfig } from "vitest/config"

/** Tests beside programs that npm does not bring, each run by its own command. */
const apart = ["peers"]

export default defineConfig(({ mode }) => ({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [
      "**/node_modules/**",
      "**/dist/**",
      ...apart.filter((name) => name !== mode).map((name) => `test/${name}/**`),
    ],
    globalSetup: ["test/pg/globalSetup.ts"],
    pool: "forks",
    testTimeout: 30_000,
    reporters: ["default", "./scripts/closing-line.mjs"],
  },
}))
