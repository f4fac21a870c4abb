import { tocsin } from "@tocsin/cli/Tocsin"
import * as Effect from "effect/Effect"
import { serverCommands } from "../src/command/ServerCommands.ts"

/** The command line with all commands, to look at: none of them runs. */
export const program = await tocsin(
  {
    environment: {},
    givenEnvironment: {},
    run: () => {},
    runUntilStopped: () => {},
    operator: { hasMasterKey: Effect.succeed(false), token: Effect.never },
  },
  serverCommands,
)
