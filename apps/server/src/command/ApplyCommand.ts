import { Command, Options } from "@effect/cli"
import { Console, Effect } from "effect"
import type { Environment } from "../ServerConfig.ts"
import { readDefinitions } from "./DefinitionFiles.ts"
import { apiClient, clientOptions, projectOption } from "./ClientOptions.ts"

/** `tocsin apply`: creates or replaces the objects of files. Source: decision 0600. */
export const applyCommand = (environment: Environment) =>
  Command.make(
    "apply",
    { ...clientOptions, project: projectOption, files: filesOption, dryRun: dryRunOption },
    ({ project, files, dryRun, ...flags }) =>
      Effect.gen(function* () {
        const definitions = yield* readDefinitions(files, project)
        const client = yield* apiClient(flags, environment)
        const answer = yield* client.call({
          method: "PUT",
          path: `/api/apply?dry_run=${dryRun}`,
          headers: { "content-type": "application/json" },
          body: JSON.stringify(definitions),
        })
        const { data } = JSON.parse(answer) as { readonly data: ReadonlyArray<Applied> }
        for (const { kind, project: owner, name, outcome } of data)
          yield* Console.log(
            `${kind} ${owner === undefined ? "" : `${owner}/`}${name} ${outcome}${dryRun ? " (dry run)" : ""}`,
          )
      }),
  ).pipe(Command.withDescription("Create or replace the objects that files describe, all or nothing."))

interface Applied {
  readonly kind: string
  readonly project?: string
  readonly name: string
  readonly outcome: string
}

/** `--file`, `-f`: where definitions stand. */
export const filesOption = Options.text("file").pipe(
  Options.withAlias("f"),
  Options.withDescription("File of definitions in YAML or JSON; - reads standard input. May be repeated."),
  Options.atLeast(1),
)

/** `--dry-run`: checks everything and changes nothing. */
export const dryRunOption = Options.boolean("dry-run").pipe(
  Options.withDescription("Check everything and change nothing."),
)
