import { Command } from "commander"
import { DataSourceTestSchema } from "@tocsin/adapters-http/internal/data-sources/DataSourcesApi"
import { isObject } from "@tocsin/domain/internal/codec/Leaves"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { readResponse } from "../client/ApiClient.ts"
import { type ClientFlags, isJson } from "../client/ClientConfig.ts"
import { ApiCommand, callApi, type CommandContext, CommandFailed } from "./CommandContext.ts"
import { readDefinitions } from "./DefinitionFiles.ts"

export const dataSourceCommand = (context: CommandContext): Command =>
  new Command("datasource")
    .summary("work with data sources")
    .description("Work with data sources.")
    .addCommand(
      new ApiCommand("test")
        .summary("connect to a data source")
        .description(
          "Evaluate vector(1) on the server of a data source, with its credentials, and print how long it took or what is wrong. With -f, the data source need not be applied. Nothing is stored.",
        )
        .argument("[name]", "name of the data source, without -f")
        .option("-f, --file <file>", "YAML or JSON file with one data source; - reads stdin")
        .projectFlag()
        .outputFlag()
        .organizationFlag()
        .urlFlag()
        .examples("  $ tocsin datasource test mimir -p shop\n  $ tocsin datasource test -f mimir.yaml")
        .action((name: string | undefined, flags: TestFlags) => context.run(test(name, flags, context))),
    )

interface TestFlags extends ClientFlags {
  readonly project: string
  readonly file?: string
}

const test = (name: string | undefined, flags: TestFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { file, project } = flags
    if ((name === undefined) === (file === undefined)) {
      return yield* new CommandFailed({ message: "specify either a name or --file" })
    }
    const response = yield* callApi(flags, context, {
      method: "POST",
      ...(file === undefined
        ? { path: `/api/datasources/${encodeURIComponent(name ?? "")}/test`, headers: { project } }
        : {
            path: "/api/datasources/test",
            json: { definition: yield* dataSourceOf(file, project) },
          }),
    })
    const { message, durationMs, detail } = yield* readResponse(DataSourceTestSchema, response)
    if (isJson(flags)) yield* Console.log(response)
    else if (detail === undefined) yield* Console.log(`${message} (${durationMs} ms)`)
    if (detail !== undefined) return yield* new CommandFailed({ message: `${message}: ${detail}` })
  })

const dataSourceOf = (file: string, project: string) =>
  Effect.gen(function* () {
    const definitions = yield* readDefinitions({ file: [file] }, project)
    const [source, ...others] = definitions.filter((each) => isObject(each) && each["kind"] === "DataSource")
    if (source === undefined || others.length > 0) {
      const found = source === undefined ? 0 : 1 + others.length
      return yield* new CommandFailed({ message: `${file}: must have exactly one data source, not ${found}` })
    }
    return source
  })
