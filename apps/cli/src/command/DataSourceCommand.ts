import { dataSources } from "@tocsin/api"
import * as Effect from "effect/Effect"
import { resourceClient } from "./CommandContext.ts"
import { commands, listed, printed, work } from "./Commands.ts"
import { printTest } from "./DefinitionFiles.ts"
import { client, project, text } from "./Flags.ts"

export const dataSourceCommand = commands(
  "list and test data sources",
  "List data sources with their status, and test them.",
  {
    list: listed(dataSources, "listDataSources", {
      summary: "list data sources with their status",
      description: "List data sources, whether they can be read, and how many SLOs they have.",
      flags: { project: text("<name>", "filter by project (default: all)", "p"), ...client },
      examples: "  $ tocsin datasource list",
      empty: "No data sources.",
      columns: {
        PROJECT: ({ definition }) => definition.metadata.project,
        NAME: ({ definition }) => definition.metadata.name,
        STATUS: ({ state }) => state,
        SLOS: ({ sloCount }) => String(sloCount),
        AFFECTED: ({ affectedSloCount }) => String(affectedSloCount),
        PROBLEM: ({ problem }) => problem?.detail,
      },
    }),
    get: printed(dataSources, "findDataSource", {
      summary: "print the status of a data source",
      description: "Print whether a data source can be read and, if it cannot, why and for which SLOs.",
      arguments: { name: "name of the data source" },
      flags: { ...project, ...client },
      examples: "  $ tocsin datasource get mimir -p shop",
      text: ({ state, sloCount, succeededAt, unavailableSince, problem, affectedSloCount, affectedSlos }) =>
        [
          `${state}; SLOs: ${sloCount}`,
          succeededAt === undefined ? "not read yet" : `last read: ${succeededAt}`,
          ...(unavailableSince === undefined ? [] : [`unavailable since ${unavailableSince}`]),
          ...(problem === undefined ? [] : [`${problem.at}  ${problem.reason}: ${problem.detail}`]),
          ...(affectedSloCount === 0 ? [] : [`Affected SLOs: ${affectedSloCount}`]),
          ...affectedSlos.map((slo) => `  ${slo.project}/${slo.name}`),
          ...(affectedSloCount > affectedSlos.length ? ["  …"] : []),
        ].join("\n"),
    }),
    test: work(
      {
        summary: "connect to a data source",
        description:
          "Evaluate vector(1) on the server of a data source, with its credentials, and print the duration or the problem. With -f, the data source need not be applied. Nothing is stored.",
        arguments: { "name?": "name of the data source, without -f" },
        flags: {
          file: text("<file>", "YAML or JSON file with one data source; - reads stdin", "f"),
          ...project,
          ...client,
        },
        examples: "  $ tocsin datasource test mimir -p shop\n  $ tocsin datasource test -f mimir.yaml",
      },
      (given, context) =>
        printTest(
          "DataSource",
          given,
          Effect.map(resourceClient(dataSources, given, context), (api) => ({
            stored: api.testDataSource,
            proposed: (definition) => api.testProposedDataSource({ body: { definition } }),
          })),
          ({ message, durationMs }) => `${message} (${durationMs} ms)`,
        ),
    ),
  },
)
