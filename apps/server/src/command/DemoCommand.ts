import { Command } from "commander"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import { randomBytes } from "node:crypto"
import { runDemo } from "../demo/Demo.ts"
import type { Environment } from "@tocsin/cli/config/Environment"
import { decodeDemoConfig } from "../config/ServerConfig.ts"
import type { CommandContext } from "@tocsin/cli/command/CommandContext"

export const demoCommand = (context: CommandContext): Command =>
  new Command("demo")
    .summary("run a demo server with sample data")
    .description(
      "Run a server with 12 SLOs and 184 days of history, let an alert fire, and print the verified notification. Reads PORT, HOST, TOCSIN_STORE, TOCSIN_DATA_DIR, DATABASE_URL and TOCSIN_MASTER_KEY.",
    )
    .action(() =>
      context.runUntilStopped(
        Effect.fromResult(decodeDemoConfig(withMasterKey(context.environment))).pipe(
          Effect.flatMap(runDemo),
          Effect.andThen(Effect.never),
          Effect.scoped,
          // What is only good to know would interrupt the demo's own lines.
          Effect.provideService(References.MinimumLogLevel, "Warn"),
        ),
      ),
    )

/** A store in memory does not need a master key that outlives it. */
const withMasterKey = (environment: Environment): Environment =>
  environment["TOCSIN_STORE"] === "memory" && !environment["TOCSIN_MASTER_KEY"]
    ? { ...environment, TOCSIN_MASTER_KEY: randomBytes(32).toString("base64") }
    : environment
