import { Command } from "commander"
import { Effect } from "effect"
import { resultToEffect } from "@tocsin/domain/Result"
import { ConfigIsInvalid } from "../ClientConfig.ts"
import { runDemo } from "../demo/Demo.ts"
import { decodeListenAddress } from "../ServerConfig.ts"
import type { CommandContext } from "./CommandContext.ts"

/** `tocsin demo`: the whole service on this machine, with something to see. */
export const demoCommand = (context: CommandContext): Command =>
  new Command("demo")
    .summary("see it work: a server with a dozen SLOs rings a verified alert")
    .description(
      "Run the server with a dozen SLOs, ring an alert, and print the verified notification. Reads PORT and HOST.",
    )
    .action(() =>
      context.runUntilStopped(
        Effect.mapError(
          resultToEffect(decodeListenAddress(context.environment)),
          (issues) => new ConfigIsInvalid({ issues }),
        ).pipe(Effect.flatMap(runDemo), Effect.zipRight(Effect.never), Effect.scoped),
      ),
    )
