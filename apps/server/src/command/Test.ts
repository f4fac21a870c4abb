import { Args, Command } from "@effect/cli"
import { Console, Data, Effect } from "effect"
import type { Environment } from "../ServerConfig.ts"
import { apiClient, clientOptions, jsonOption, projectOption } from "./ClientOptions.ts"

/** The test of an alert method failed; the message says what is wrong with its settings. */
export class TestFailed extends Data.TaggedError("TestFailed")<{ readonly message: string }> {}
