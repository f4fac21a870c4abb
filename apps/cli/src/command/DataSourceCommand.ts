import { Command } from "commander"
import { dataSources } from "@tocsin/api"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { type ClientFlags, isJson } from "../client/ClientConfig.ts"
import { readAll } from "../client/Pages.ts"
import {
  ApiCommand,
  type CommandContext,
  CommandFailed,
  printJson,
  printList,
  resourceClient,
} from "./CommandContext.ts"
import { readDefinition } from "./DefinitionFiles.ts"

export const dataSourceCommand = (context: CommandContext): Command =>
  new Command("datasource")
    .summary("list and test data sources")
    .description("List data sources with their state, and test them.")
    .addCommand(
      new ApiCommand("list")
        .summary("list data sources with their state")
        .description("List data sources, whether they can be read, and how many SLOs they have.")
        .option("-p, --project <name>", "filter by project (default: all)")
        .clientFlags()
        .examples("  $ tocsin datasource list")
        .action((flags: ListFlags) => context.run(list(flags, context))),
    )
    .addCommand(
      new ApiCommand("get")
        .summary("print the state of a data source")
        .description("Print whether a data source can be read and, if it cannot, why and for which SLOs.")
        .argument("<name>", "name of the data source")
        .projectFlag()
        .clientFlags()
        .examples("  $ tocsin datasource get mimir -p shop")
        .action((name: string, flags: GetFlags) => context.run(get(name, flags, context))),
    )
    .addCommand(
      new ApiCommand("test")
        .summary("connect to a data source")
        .description(
          "Evaluate vector(1) on the server of a data source, with its credentials, and print how long it took or what is wrong. With -f, the data source need not be applied. Nothing is stored.",
        )
        .argument("[name]", "name of the data source, without -f")
        .option("-f, --file <file>", "YAML or JSON file with one data source; - reads stdin")
        .projectFlag()
        .clientFlags()
        .examples("  $ tocsin datasource test mimir -p shop\n  $ tocsin datasource test -f mimir.yaml")
        .action((name: string | undefined, flags: TestFlags) => context.run(test(name, flags, context))),
    )

interface ListFlags extends ClientFlags {
  readonly project?: string
}

const list = (flags: ListFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const api = yield* resourceClient(dataSources, flags, context)
    const sources = yield* readAll((page) => api.listDataSources({ project: flags.project, ...page }))
    const header = ["PROJECT", "NAME", "STATE", "SLOS", "AFFECTED", "PROBLEM"]
    yield* printList(flags, context, sources, "No data sources.", header, (source) => [
      source.definition.metadata.project ?? "",
      source.definition.metadata.name,
      source.state,
      String(source.sloCount),
      String(source.affectedSloCount),
      source.problem?.detail ?? "",
    ])
  })

interface GetFlags extends ClientFlags {
  readonly project: string
}

const get = (name: string, flags: GetFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const api = yield* resourceClient(dataSources, flags, context)
    const status = yield* api.findDataSource({ name, project: flags.project })
    const { state, sloCount, succeededAt, unavailableSince, problem, affectedSloCount, affectedSlos } = status
    yield* printJson(flags, status, () =>
      [
        `${state}; SLOs: ${sloCount}`,
        succeededAt === undefined ? "not read yet" : `last read: ${succeededAt}`,
        ...(unavailableSince === undefined ? [] : [`unavailable since ${unavailableSince}`]),
        ...(problem === undefined ? [] : [`${problem.at}  ${problem.reason}: ${problem.detail}`]),
        ...(affectedSloCount === 0 ? [] : [`Affected SLOs: ${affectedSloCount}`]),
        ...affectedSlos.map((slo) => `  ${slo.project}/${slo.name}`),
        ...(affectedSloCount > affectedSlos.length ? ["  …"] : []),
      ].join("\n"),
    )
  })

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
    const api = yield* resourceClient(dataSources, flags, context)
    const response = yield* file === undefined
      ? api.testDataSource({ name: name ?? "", project })
      : api.testProposedDataSource({
          body: { definition: yield* readDefinition("DataSource", file, project) },
        })
    const { message, durationMs, detail } = response
    if (isJson(flags)) yield* Console.log(JSON.stringify(response))
    else if (detail === undefined) yield* Console.log(`${message} (${durationMs} ms)`)
    if (detail !== undefined) return yield* new CommandFailed({ message: `${message}: ${detail}` })
  })
