import { alertStatuses } from "@tocsin/domain"
import { nearestName } from "@tocsin/domain/codec"
import { isOrganizationKind } from "@tocsin/domain/definitions"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { jsonFormat, writeDocuments, yamlFormat } from "@tocsin/formats/documents"
import type { ApiClient } from "../client/ApiClient.ts"
import { type ListedObject, listObjects } from "../client/Objects.ts"
import { csvText, tableText } from "../terminal/Table.ts"
import { standardOutput, type Terminal } from "../terminal/Terminal.ts"
import { apiClient, CommandFailed, printText } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import {
  given,
  labels,
  oneOf,
  organization,
  project,
  someOf,
  text,
  texts,
  url,
  type ValuesOf,
} from "./Flags.ts"
import { notFound } from "./FindObject.ts"
import { tableOf } from "./ObjectColumns.ts"
import { ensureProject } from "./ProjectOfCommand.ts"

const formats = ["table", "wide", "name", "yaml", "json", "csv"] as const

const flags = {
  ...project,
  allProjects: given("objects of all projects", "A"),
  ...labels("filter by labels"),
  slo: texts("<name...>", "filter alerts by SLO"),
  objective: texts("<name...>", "filter alerts by objective"),
  policy: texts("<name...>", "filter alerts by alert policy"),
  status: someOf("<status...>", "filter alerts by status", alertStatuses),
  from: text("<date-time>", "filter alerts: open at this date-time or later"),
  to: text("<date-time>", "filter alerts: triggered before this date-time"),
  output: oneOf("<format>", "output format (default: table on a terminal, otherwise yaml)", formats, "o"),
  watch: given("print changes, until Ctrl-C", "w"),
  ...organization,
  ...url,
}

type GetFlags = ValuesOf<typeof flags>

export const getCommand = work(
  {
    summary: "print objects",
    description:
      "Print objects: as a table on a terminal, otherwise as definitions. Secrets are printed as [hidden].",
    arguments: {
      kinds:
        "kinds, separated by commas: agent (agt), alert, alertmethod (am), alertpolicy (ap), alertsilence (as), annotation, budgetadjustment (ba), datasource (ds), direct (drt), project (proj), report (rep), service (svc) or slo; plural and any letter case allowed",
      "name?...": "names of the objects (default: all)",
    },
    flags,
    examples:
      "  # All alert methods\n  $ tocsin get am -A\n\n  # SLOs and alert policies of a team\n  $ tocsin get slos,alertpolicies -A -l team=payments\n\n  # Open alerts\n  $ tocsin get alerts -A --status triggered --watch",
  },
  ({ kinds, name: names, ...flags }, context) =>
    Effect.gen(function* () {
      const { output: _, ...clientFlags } = flags
      const client = yield* apiClient(clientFlags, context)
      const terminal = standardOutput(context.environment)
      const format = flags.output ?? (terminal.isTerminal ? "table" : "yaml")
      const kindTexts = kinds.split(",").map((kind) => kind.trim())
      if (kindTexts.includes(""))
        return yield* new CommandFailed({
          message: `${kinds}: specify kinds separated by commas, such as slo,service`,
        })
      const read = readAll(client, kindTexts, names, flags)
      let found = yield* read
      const all = found.flatMap(({ objects }) => objects)
      if (all.length === 0 && names.length === 0 && flags.allProjects !== true)
        yield* ensureProject(client, flags.project)
      const missing = names.filter((name) => all.every(({ metadata }) => metadata.name !== name))
      if (all.length > 0 || names.length === 0) yield* printText(objectsText(format, found, flags, terminal))
      if (all.length === 0 && names.length === 0)
        yield* Console.error(
          flags.allProjects === true
            ? "No objects found."
            : "No objects found in the project. Use -A for all projects.",
        )
      if (missing.length > 0) {
        const others = yield* readAll(client, kindTexts, [], flags)
        const known = others.flatMap(({ objects }) => objects.map(({ metadata }) => metadata.name))
        const nearest = missing.flatMap((name) => nearestName(name, known) ?? [])
        const hint =
          nearest.length === 0
            ? "specify the project with -p, or -A for all projects"
            : `did you mean ${nearest.join(", ")}?`
        return yield* notFound(kindTexts, undefined, missing, hint)
      }
      while (flags.watch === true) {
        yield* Effect.sleep("2 seconds")
        const before = new Set(found.flatMap(({ objects }) => objects).map((each) => JSON.stringify(each)))
        found = yield* read
        const changed = found.map(({ kind, objects }) => ({
          kind,
          objects: objects.filter((each) => !before.has(JSON.stringify(each))),
        }))
        if (changed.some(({ objects }) => objects.length > 0))
          yield* printText(objectsText(format, changed, flags, terminal))
      }
    }),
)

interface Found {
  /** The kind's name in the command. */
  readonly kind: string
  readonly objects: ReadonlyArray<ListedObject>
}

const readAll = (
  client: ApiClient,
  kinds: ReadonlyArray<string>,
  name: ReadonlyArray<string>,
  { allProjects, project, labels, slo, objective, policy, status, from, to }: GetFlags,
) =>
  Effect.forEach(kinds, (kind) =>
    Effect.map(
      listObjects(client, kind, {
        project: allProjects === true ? undefined : project,
        name,
        labels,
        slo,
        objective,
        alertPolicy: policy,
        status,
        from,
        to,
      }),
      (objects): Found => ({ kind, objects }),
    ),
  )

const objectsText = (
  format: (typeof formats)[number],
  found: ReadonlyArray<Found>,
  { allProjects }: GetFlags,
  { width }: Terminal,
): string => {
  const all = found.flatMap(({ objects }) => objects)
  switch (format) {
    case "json":
      return writeDocuments(jsonFormat, all)
    case "yaml":
      return writeDocuments(yamlFormat, all)
    case "name":
      return all.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}\n`).join("")
    case "csv":
    case "table":
    case "wide": {
      const shape = { isWide: format !== "table", withProject: allProjects === true || format === "csv" }
      const tables = found.flatMap(({ objects }) => {
        const [first] = objects
        if (first === undefined) return []
        const withProject = shape.withProject && !isOrganizationKind(first.kind)
        const { header, rows } = tableOf(first.kind, objects, { ...shape, withProject })
        return [format === "csv" ? csvText(header, rows) : tableText(header, rows, width)]
      })
      return tables.join("\n")
    }
  }
}
