import { Args, Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import type { Environment } from "../ServerConfig.ts"
import { apiClient, clientOptions, projectOption } from "./ClientOptions.ts"

/** `tocsin get`: prints objects as their definitions. Source: decision 0600. */
export const getCommand = (environment: Environment) =>
  Command.make(
    "get",
    {
      ...clientOptions,
      project: projectOption,
      allProjects: Options.boolean("all-projects").pipe(
        Options.withAlias("A"),
        Options.withDescription("Objects of every project."),
      ),
      labels: Options.text("labels").pipe(
        Options.withAlias("l"),
        Options.withDescription("Only objects with these labels, as key:value,key:value."),
        Options.optional,
      ),
      output: Options.choice("output", ["yaml", "json"]).pipe(
        Options.withAlias("o"),
        Options.withDescription("How to print."),
        Options.withDefault("yaml" as const),
      ),
      kind: kindArgument,
      names: Args.text({ name: "name" }).pipe(
        Args.withDescription("Only the objects of these names."),
        Args.repeated,
      ),
    },
    ({ kind, names, project, allProjects, labels, output, ...flags }) =>
      Effect.gen(function* () {
        const client = yield* apiClient(flags, environment)
        const query = new URLSearchParams(names.map((name): [string, string] => ["name", name]))
        if (Option.isSome(labels)) query.set("labels", labels.value)
        const answer = yield* client.call({
          method: "GET",
          path: `/api/get/${encodeURIComponent(kind)}?${query}`,
          headers: { project: allProjects ? "*" : project, accept: `application/${output}` },
        })
        yield* Effect.sync(() => process.stdout.write(answer))
      }),
  ).pipe(Command.withDescription("Print objects as their definitions; secrets read [hidden]."))

/** The kind of object a command is about. */
export const kindArgument = Args.text({ name: "kind" }).pipe(
  Args.withDescription("slo, alertmethod, alertpolicy, service, project or alert; in any case, also plural."),
)
