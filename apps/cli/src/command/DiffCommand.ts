import { writeYamlDocument } from "@tocsin/formats/yaml"
import { structuredPatch } from "diff"
import * as Effect from "effect/Effect"
import {
  type AppliedObject,
  applyObjects,
  inFileOrder,
  type ListedObject,
  objectText,
} from "../client/Objects.ts"
import { colors, standardOutput, type Terminal } from "../terminal/Terminal.ts"
import { terminalText } from "../terminal/TerminalText.ts"
import { apiClient, CommandFailed, printText } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import { readPlacedDefinitions, withPlaces } from "./DefinitionFiles.ts"
import { files, organization, project, url } from "./Flags.ts"

/** Exit code of an error, as of `diff` and `kubectl diff`: 1 says that something differs. */
const errorCode = 2

export const diffCommand = work(
  {
    summary: "show what applying files would change",
    description:
      "Show the difference between the objects on the server and what `tocsin apply` would store, with the defaults that the server adds. Nothing is changed. The exit code is 0 if there is no difference, 1 if there is one, and 2 after an error.",
    flags: { ...files("definitions"), ...project, ...organization, ...url },
    examples:
      "  # Show what a file changes, then apply it\n  $ tocsin diff -f slos.yaml\n  $ tocsin apply -f slos.yaml\n\n  # In CI, for a directory\n  $ tocsin diff -R -f slos/",
    errorCode,
  },
  (flags, context) =>
    Effect.gen(function* () {
      const sources = yield* readPlacedDefinitions(flags, flags.project)
      const client = yield* apiClient(flags, context)
      const { data: planned } = yield* applyObjects(
        client,
        sources.map(({ document }) => document),
        { dryRun: true },
      ).pipe(Effect.mapError(withPlaces(sources)))
      const changed = planned.filter(({ outcome }) => outcome !== "unchanged")
      const text = changed.map((each) => differenceText(each, standardOutput(context.environment))).join("")
      yield* printText(text)
      if (changed.length > 0) return yield* new CommandFailed({ message: "", exitCode: 1 })
    }),
)

/** The difference of one object, which has one. */
export const differenceText = (object: AppliedObject, { hasColor }: Pick<Terminal, "hasColor">): string => {
  const { before, after } = object
  const [from, to] = [before, after].map((each) =>
    each === undefined ? "" : writeYamlDocument(inFileOrder(each as unknown as ListedObject)),
  )
  const name = objectText(object)
  const hunks = hunksOf(from ?? "", to ?? "")
  return [
    `--- ${before === undefined ? "/dev/null" : `${name} (server)`}`,
    `+++ ${name} (files)`,
    ...(hunks.length > 0 ? hunks : ["# Only secret values differ. They are not shown."]),
  ]
    .map((line, index) => {
      const safe = terminalText(line)
      const color = index < 2 ? undefined : lineColors[line.charAt(0)]
      return `${hasColor && color !== undefined ? color(safe) : safe}\n`
    })
    .join("")
}

/** The hunks of a unified diff, as lines without line breaks; none if the texts are the same. */
const hunksOf = (before: string, after: string): ReadonlyArray<string> =>
  structuredPatch("", "", before, after, "", "", { context: 3, maxEditLength: editsMax })?.hunks.flatMap(
    ({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
      ...lines,
    ],
  ) ?? [`# More than ${editsMax} lines differ. They are not shown.`]

/** Finding the smallest set of edits takes their square in time. */
const editsMax = 2_000

/** For an empty range, the line before it. */
const range = (start: number, lines: number): string => {
  if (lines === 0) return `${start - 1},0`
  return lines === 1 ? `${start}` : `${start},${lines}`
}

const lineColors: Readonly<Record<string, (text: string) => string>> = {
  "-": colors.red,
  "+": colors.green,
  "@": colors.cyan,
}
