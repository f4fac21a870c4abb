import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    globalSetup: ["test/pg/globalSetup.ts"],
    pool: "forks",
    testTimeout: 30_000,
    reporters: ["default", "./scripts/closing-line.mjs"],
  },
})
