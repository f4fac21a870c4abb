import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { alerts, reviews } from "@tocsin/api"
import { nearestName } from "@tocsin/domain/codec"
import { isBurning } from "@tocsin/domain"
import { labelsMatch, parseLabelFilter } from "@tocsin/domain/kernel"
import * as Result from "effect/Result"
import { type ApiClient, type ApiFailure, operationsOf } from "../client/ApiClient.ts"
import { readLinked } from "../client/Pages.ts"
import { type Cell, csvText, tableText } from "../terminal/Table.ts"
import { standardOutput } from "../terminal/Terminal.ts"
import { apiClient, CommandFailed } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import { nameHint, notFound } from "./FindObject.ts"
import { labels, oneOfDefault, organization, text, url } from "./Flags.ts"
import { alertsCell, budgetCell, burnRateText, listSlos, percent } from "./SloStatuses.ts"
import { ensureProject } from "./ProjectOfCommand.ts"

const formats = ["table", "wide", "json", "csv"] as const

/** One objective, as `-o json` prints it. Figures without data are absent. */
interface ObjectiveLine {
  readonly project: string
  readonly slo: string
  readonly objective: string
  readonly target: number
  readonly sli?: number
  readonly budgetRemaining?: number
  readonly budgetRemainingSeconds?: number
  readonly burnRate?: number
  readonly openAlerts: number
  /** Whether the figures are from an earlier definition, and are computed again. */
  readonly isOutdated?: boolean
}

export const statusCommand = work(
  {
    summary: "show the error budgets of SLOs",
    description:
      "Show the objectives of all SLOs with target, SLI, error budget remaining, burn rate and open alerts. Objectives with an open alert or a burn rate of at least 1 come first, then the lowest budgets. A table of all SLOs is followed by the number of due reviews, if any, on stderr.",
    arguments: { "slo?...": "names of SLOs (default: all)" },
    flags: {
      project: text("<name>", "SLOs of one project (default: all)", "p"),
      ...labels("filter by labels"),
      output: oneOfDefault("<format>", "output format", formats, "table", "o"),
      ...organization,
      ...url,
    },
    examples: "  # All SLOs\n  $ tocsin status\n\n  # SLOs of a team\n  $ tocsin status -l team=payments",
  },
  ({ slo: names, ...flags }, context) =>
    Effect.gen(function* () {
      const { project } = flags
      const filter = parseLabelFilter(flags.labels ?? "")
      if (Result.isFailure(filter))
        return yield* new CommandFailed({ message: `labels ${filter.failure.message}` })
      const client = yield* apiClient(flags, context)
      const all = yield* listSlos(client)
      const slos = all.filter(
        (slo) =>
          (project === undefined || slo.project.name === project) &&
          (names.length === 0 || names.includes(slo.name)) &&
          labelsMatch(slo.labels, filter.success),
      )
      if (slos.length === 0 && project !== undefined) yield* ensureProject(client, project)
      const missing = names.filter((name) => slos.every((slo) => slo.name !== name))
      if (missing.length > 0) {
        const nearest = nearestName(missing[0] ?? "", new Set(all.map(({ name }) => name)))
        return yield* notFound(["SLO"], project, missing, nameHint("SLO", project, nearest))
      }
      const alerts = yield* openAlerts(client)
      const lines = slos
        .flatMap((slo) =>
          slo.objectives.map((objective): ObjectiveLine => {
            const { name, target, reliability, burnRate, isOutdated } = objective
            const { errorBudgetRemainingPercentage: budget, errorBudgetRemaining: seconds } = objective
            return {
              project: slo.project.name,
              slo: slo.name,
              objective: name,
              target,
              ...(reliability !== undefined && { sli: reliability }),
              ...(budget !== undefined && { budgetRemaining: budget }),
              ...(seconds !== undefined && { budgetRemainingSeconds: seconds }),
              ...(burnRate !== undefined && { burnRate }),
              openAlerts: alerts.get(`${slo.project.name}/${slo.name}/${name}`) ?? 0,
              ...(isOutdated === true && { isOutdated }),
            }
          }),
        )
        .toSorted(byUrgency)
      const terminal = standardOutput(context.environment)
      yield* Effect.sync(
        () => void process.stdout.write(statusText(flags.output ?? "table", lines, terminal)),
      )
      const isForPeople = flags.output !== "json" && flags.output !== "csv"
      if (isForPeople && names.length === 0 && project === undefined && flags.labels === undefined)
        yield* printDueReviews(client)
    }),
)

/** Prints how many reviews are due, on stderr, if there are any or if that is unknown. The status itself has been printed. */
const printDueReviews = (client: ApiClient) =>
  operationsOf(reviews, client.call)
    .listReviewReminders({})
    .pipe(
      Effect.matchEffect({
        onSuccess: ({ reminders: { length } }) =>
          length === 0
            ? Effect.void
            : Console.error(
                `${length === 1 ? "1 review is" : `${length} reviews are`} due within 7 days: tocsin review due`,
              ),
        onFailure: (error) =>
          isWithoutReviews(error) ? Effect.void : Console.error(`Cannot list due reviews: ${error.message}`),
      }),
    )

/** Whether the server is of a version before reviews. */
const isWithoutReviews = (error: ApiFailure): boolean => error._tag === "ApiRejected" && error.status === 404

/** What burns now first, then the least budget; of equals, those with open alerts, then the fastest burning. Without data: last. */
const byUrgency = (a: ObjectiveLine, b: ObjectiveLine): number =>
  Number(burnsNow(b)) - Number(burnsNow(a)) ||
  (a.budgetRemaining ?? Infinity) - (b.budgetRemaining ?? Infinity) ||
  b.openAlerts - a.openAlerts ||
  (b.burnRate ?? 0) - (a.burnRate ?? 0) ||
  (`${a.project}/${a.slo}` < `${b.project}/${b.slo}` ? -1 : 1)

const burnsNow = (line: ObjectiveLine): boolean => line.openAlerts > 0 || isBurning(line)

/** The SLI, and whether it is computed again. */
const sliText = ({ sli, isOutdated = false }: ObjectiveLine, format: string): string => {
  if (sli === undefined) return isOutdated ? "computing" : "no data"
  return isOutdated && format !== "csv" ? `${percent(sli)} (computing)` : percent(sli)
}

const statusText = (
  format: string,
  lines: ReadonlyArray<ObjectiveLine>,
  { width, hasColor }: ReturnType<typeof standardOutput>,
): string => {
  if (format === "json") return `${JSON.stringify(lines, undefined, 2)}\n`
  const withProject = format !== "table" || new Set(lines.map(({ project }) => project)).size > 1
  const header = ["SLO", "OBJECTIVE", "TARGET", "SLI", "BUDGET REMAINING", "BURN RATE", "ALERTS"]
  const rows = lines.map((line): ReadonlyArray<Cell | string> => {
    const cells = [
      line.slo,
      line.objective,
      percent(line.target),
      sliText(line, format),
      format === "csv" ? percentOrEmpty(line.budgetRemaining) : budgetCell(line.budgetRemaining, hasColor),
      burnRateText(line.burnRate),
      alertsCell(line.openAlerts, hasColor),
    ]
    return withProject ? [line.project, ...cells] : cells
  })
  const shown = withProject ? ["PROJECT", ...header] : header
  if (format === "csv") return csvText(shown, rows)
  return lines.length === 0 ? "No SLOs found.\n" : tableText(shown, rows, width)
}

const percentOrEmpty = (ratio: number | undefined): string => (ratio === undefined ? "" : percent(ratio))

/** How many alerts are open, by project, SLO and objective. */
const openAlerts = (client: ApiClient) =>
  Effect.gen(function* () {
    const open = yield* readLinked(client, alerts, (api, page) =>
      api.listAlerts({ project: "*", status: ["triggered"], ...page }),
    )
    const counts = new Map<string, number>()
    for (const { spec } of open) {
      const key = `${spec.slo.project}/${spec.slo.name}/${spec.objective?.name ?? ""}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return counts
  })
