import { budgetText, burnText, reliabilityText, shareText } from "../components/NumberFormat.ts"
import { t } from "../language/Text.tsx"

/** What is shown where there is no figure. */
export const noFigure = () => <span className="dim">{t("no data")}</span>

const figure =
  (textOf: (figure: number) => string, isBad: (figure: number) => boolean = () => false) =>
  (value: number | undefined) =>
    value === undefined ? (
      noFigure()
    ) : (
      <span className={isBad(value) ? "bad" : undefined}>{textOf(value)}</span>
    )

/** A reliability, or that there is none. */
export const reliabilityFigure = figure((share) => reliabilityText(share))

/** An error budget remaining, or that there is none. */
export const budgetFigure = figure(
  (budget) => budgetText(budget),
  (budget) => budget <= 0,
)

/** A burn rate, or that there is none. */
export const burnFigure = figure(burnText)

/** A share with four digits, or that there is none. */
export const shareFigure = figure((share) => shareText(share, 4))

/** The properties of a column of figures. */
export const figureColumn = (name: string) => ({ name, isLabeled: true, isNumber: true })

/** The objectives of an SLO in a report, and after them its composite. */
export const reportedObjectives = <O extends { readonly name: string; readonly displayName: string }, C>({
  objectives,
  composite,
}: {
  readonly objectives: ReadonlyArray<O>
  readonly composite?: C | undefined
}) => [
  ...objectives,
  ...(composite === undefined ? [] : [{ ...composite, name: "", displayName: t("Composite") }]),
]
