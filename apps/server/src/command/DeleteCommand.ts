import { Args, Command, Options } from "@effect/cli"
import { Console, Data, Effect } from "effect"
import type { Environment } from "../ServerConfig.ts"
import { dryRunOption } from "./ApplyCommand.ts"
import { apiClient, clientOptions, projectOption } from "./ClientOptions.ts"
import { readDefinitions } from "./DefinitionFiles.ts"

/** `tocsin delete`: deletes the objects of files, or those of a kind by name. Source: decision 0600. */
export const deleteCommand = (environment: Environment) =>
  Command.make(
    "delete",
    {
      ...clientOptions,
      project: projectOption,
      files: Options.text("file").pipe(
        Options.withAlias("f"),
        Options.withDescription("Delete what this file describes; - reads standard input. May be repeated."),
        Options.repeated,
      ),
      dryRun: dryRunOption,
      kindAndNames: Args.text({ name: "kind name" }).pipe(
        Args.withDescription("A kind and the names of its objects, as in `slo checkout-latency`."),
        Args.repeated,
      ),
    },
    ({ files, kindAndNames: [kind, ...names], project, dryRun, ...flags }) =>
      Effect.gen(function* () {
        const isByName = kind !== undefined && names.length > 0
        if (isByName === files.length > 0 || (kind !== undefined && !isByName))
          return yield* new NothingIsNamed()
        const client = yield* apiClient(flags, environment)
        if (isByName) {
          const query = new URLSearchParams([
            ["dry_run", String(dryRun)],
            ...names.map((name): [string, string] => ["name", name]),
          ])
          yield* client.call({
            method: "DELETE",
            path: `/api/delete/${encodeURIComponent(kind)}?${query}`,
            headers: { project },
          })
        } else {
          yield* client.call({
            method: "DELETE",
            path: `/api/delete?dry_run=${dryRun}`,
            headers: { "content-type": "application/json" },
            body: JSON.stringify(yield* readDefinitions(files, project)),
          })
        }
        yield* Console.log(dryRun ? "Can be deleted (dry run)" : "Deleted")
      }),
  ).pipe(Command.withDescription("Delete objects, all or nothing: those of files, or a kind and names."))

/** A deletion must name either files or objects. */
export class NothingIsNamed extends Data.TaggedError("NothingIsNamed") {
  override get message(): string {
    return "name what to delete: either a kind and names, as in `tocsin delete slo checkout-latency`, or files with -f"
  }
}
