import type { ReactNode } from "react"
import { Link } from "wouter"
import type { DefinitionKey } from "../api/Definitions.ts"
import { queryClient } from "../api/Queries.ts"
import type { Range } from "../chart/Scale.ts"
import { rich, t } from "../language/Text.tsx"
import { minuteOf } from "../time/Minute.ts"
import { AnnotationDialog } from "./AnnotationDialog.tsx"
import { DeletedAnnotation } from "./DeletedAnnotation.tsx"
import { ExcludeRange } from "./ExcludeRange.tsx"
import { ExplainMinute } from "./ExplainMinute.tsx"
import { BackfillRange } from "./BackfillRange.tsx"
import type { SelectionAction } from "./SelectionBar.tsx"
import type { WrittenAnnotation } from "./SloAnnotations.tsx"

/** The dialog of an action on an SLO. `onDone` gets what it changed, in words. */
export const SloAction = ({
  project,
  name,
  action,
  range,
  policies,
  annotation,
  objectives = [],
  onClose,
  onDone,
}: DefinitionKey & {
  readonly action: SelectionAction
  readonly range: Range
  readonly policies: ReadonlyArray<string>
  /** What is changed instead of adding one. */
  readonly annotation?: WrittenAnnotation | undefined
  readonly objectives?: ReadonlyArray<string>
  readonly onClose: () => void
  readonly onDone: (result: ReactNode) => void
}) => {
  const key = { project, name }
  const done = (result: ReactNode): void => {
    // Figures, charts and lists of the SLO change with it.
    void queryClient.invalidateQueries()
    onDone(result)
  }
  switch (action) {
    case "exclude":
      return (
        <ExcludeRange
          {...key}
          range={range}
          onClose={onClose}
          onDone={(adjustment) =>
            done(
              rich("The range is excluded by the budget adjustment <adjustment>{name}</adjustment>.", {
                name: adjustment,
                adjustment: (text) => <Link href={`/slos/${project}/${name}?tab=adjustments`}>{text}</Link>,
              }),
            )
          }
        />
      )
    case "backfill":
      return (
        <BackfillRange
          {...key}
          range={range}
          onClose={onClose}
          onDone={() => done(t("The backfill has started. Its progress is below the charts."))}
        />
      )
    case "annotate":
      return (
        <AnnotationDialog
          {...key}
          range={range}
          {...(annotation && { annotation })}
          objectives={objectives}
          onClose={onClose}
          onDone={(outcome) =>
            done(
              outcome === "deleted" && annotation !== undefined ? (
                // The key: another one that was deleted before may have been restored.
                <DeletedAnnotation key={annotation.id} {...key} annotation={annotation} />
              ) : outcome === "added" ? (
                t("The annotation was added.")
              ) : (
                t("The annotation was changed.")
              ),
            )
          }
        />
      )
    case "explain":
      return <ExplainMinute {...key} policies={policies} at={lastMinuteOf(range)} onClose={onClose} />
  }
}

/** The last minute of a range that is over: the last step of a series ends in the future. */
const lastMinuteOf = ({ to }: Range): number => Math.min(to, minuteOf(Date.now())) - 60_000
