import { SegmentedControl, TextInput } from "@mantine/core"
import type { ReactNode } from "react"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import type { Draft } from "./Draft.ts"

/** SLOs that are selected by their labels, or by name. */
export interface SloSelectionValues {
  readonly isByLabels: boolean
  readonly sloLabels: string
}

/** The SLOs of a definition: with some labels, or chosen in `children`. */
export const SloSelectionCard = <V extends SloSelectionValues>({
  draft: { values, set, input },
  label,
  byName,
  aside,
  children,
}: {
  readonly draft: Draft<V, unknown>
  readonly label: string
  /** The label of the choice by name. */
  readonly byName: string
  /** After both choices. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}) => (
  <Card title={t("SLOs")}>
    <SegmentedControl
      aria-label={label}
      value={values.isByLabels ? "labels" : "name"}
      onChange={(value) => set({ isByLabels: value === "labels" } as Partial<V>)}
      data={[
        { value: "name", label: byName },
        { value: "labels", label: t("SLOs with labels") },
      ]}
    />
    {values.isByLabels ? (
      <TextInput
        {...input("sloLabels", "spec.sloLabels")}
        label={t("Labels")}
        description={t("Comma-separated key:value pairs, all of which an SLO must have.")}
        placeholder="team:payments,env:prod"
        spellCheck={false}
      />
    ) : (
      children
    )}
    {aside}
  </Card>
)
