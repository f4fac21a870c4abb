import { SegmentedControl, TextInput } from "@mantine/core"
import type { ReactNode } from "react"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import { type DraftFields, requiredText } from "./Fields.ts"

const labelsPath = "spec.sloLabels"

/** The SLOs of a definition: with some labels, or chosen by name in `children`, at `path`. */
export const SloSelectionCard = ({
  draft: { at, swap, field },
  label,
  path,
  byName,
  aside,
  children,
}: {
  readonly draft: DraftFields
  readonly label: string
  readonly path: "spec.slo" | "spec.slos"
  /** The label of the choice by name. */
  readonly byName: string
  /** After both choices. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}) => {
  const isByLabels = at(labelsPath) !== undefined
  return (
    <Card title={t("SLOs")}>
      <SegmentedControl
        aria-label={label}
        value={isByLabels ? labelsPath : path}
        onChange={(to) => swap([isByLabels ? labelsPath : path], { [to]: to === "spec.slos" ? [] : "" })}
        data={[
          { value: path, label: byName },
          { value: labelsPath, label: t("SLOs with labels") },
        ]}
      />
      {isByLabels ? (
        <TextInput
          {...field(labelsPath, requiredText)}
          label={t("Labels")}
          description={t("Comma-separated key=value pairs, all of which an SLO must have.")}
          placeholder="team=payments,env=prod"
          spellCheck={false}
        />
      ) : (
        children
      )}
      {aside}
    </Card>
  )
}
