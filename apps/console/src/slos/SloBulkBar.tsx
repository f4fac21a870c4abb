import { NameInput } from "../editor/NameInput.tsx"
import type { DefinitionDocument } from "@tocsin/api"
import { useState } from "react"
import { rejection } from "../api/Client.ts"
import { useDocuments } from "../api/Definitions.ts"
import { BulkBar } from "../components/BulkBar.tsx"
import { objectName } from "../components/ObjectName.ts"
import type { Selection } from "../components/Selection.ts"
import { useFields } from "../editor/Body.ts"
import { labelsOf } from "../editor/Labels.ts"
import { readStored, saveAlone } from "../editor/Merging.ts"
import { keyOf } from "../editor/NameList.tsx"
import { t } from "../language/Text.tsx"
import { useSilenceFields } from "../silences/SilenceFields.tsx"
import { isIncompleteMove, moveFields, MoveFields, moveSlo } from "./SloMove.tsx"
import type { SloRow } from "./SloRows.ts"

type Slo = DefinitionDocument<"SLO">
type Labels = Readonly<Record<string, ReadonlyArray<string>>>

/** What can be done with several SLOs at once: silence, label or move them, or give them an alert policy. */
export const SloBulkBar = ({ selection }: { readonly selection: Selection<SloRow> }) => {
  const silence = useSilenceFields()
  const [label, setLabel] = useState("")
  const [policy, setPolicy] = useState("")
  const move = useFields(moveFields)
  const policies = useDocuments("alertpolicies", {}, { enabled: selection.items.length > 0 })
  const labelInput = (
    <NameInput
      label={t("Label")}
      description={t("A key and a value, such as team=payments.")}
      data-autofocus
      value={label}
      onChange={({ currentTarget }) => setLabel(currentTarget.value)}
    />
  )
  return (
    <BulkBar
      selection={selection}
      nameOf={({ key, displayName }) => objectName(keyOf(key), displayName)}
      actions={[
        {
          label: t("Silence"),
          title: (count) => t("{count, plural, one {Silence # SLO} other {Silence # SLOs}}", { count }),
          content: silence.content,
          run: ({ key }) => silence.silence({ slo: keyOf(key) }),
        },
        {
          label: t("Add label"),
          title: (count) =>
            t("{count, plural, one {Add a label to # SLO} other {Add a label to # SLOs}}", { count }),
          content: labelInput,
          isIncomplete: label.trim() === "",
          run: ({ key }) =>
            change(key, (slo) => withLabels(slo, (labels) => merged(labels, labelsOf(label)))),
        },
        {
          label: t("Remove label"),
          title: (count) =>
            t("{count, plural, one {Remove a label from # SLO} other {Remove a label from # SLOs}}", {
              count,
            }),
          content: labelInput,
          isIncomplete: label.trim() === "",
          run: ({ key }) =>
            change(key, (slo) => withLabels(slo, (labels) => without(labels, labelsOf(label)))),
        },
        {
          label: t("Add alert policy"),
          title: (count) =>
            t("{count, plural, one {Add an alert policy to # SLO} other {Add an alert policy to # SLOs}}", {
              count,
            }),
          content: (
            <NameInput
              label={t("Alert policy")}
              description={t("Its name. It must be in the project of each SLO.")}
              data-autofocus
              suggestions={[...new Set(policies.data?.map(({ metadata }) => metadata.name))].map((value) => ({
                value,
              }))}
              value={policy}
              onChange={({ currentTarget }) => setPolicy(currentTarget.value)}
            />
          ),
          isIncomplete: policy.trim() === "",
          run: ({ key }) => change(key, (slo) => withPolicy(slo, policy.trim())),
        },
        {
          label: t("Move"),
          title: (count) => t("{count, plural, one {Move # SLO} other {Move # SLOs}}", { count }),
          content: <MoveFields draft={move.fields()} />,
          isIncomplete: isIncompleteMove(move.body),
          run: ({ key }) => moveSlo(keyOf(key), move.body),
        },
      ]}
    />
  )
}

/** Reads the definition of an SLO, and applies it changed. */
const change = async (key: string, changed: (slo: Slo) => Slo): Promise<void> => {
  const { project, name } = keyOf(key)
  const stored = await readStored<Slo>("slos", { project, name })
  if (stored.definition === undefined) throw rejection(t("The SLO was deleted."))
  await saveAlone(stored, changed(stored.definition))
}

const withLabels = (slo: Slo, changed: (labels: Labels) => Labels): Slo => ({
  ...slo,
  metadata: { ...slo.metadata, labels: changed(slo.metadata.labels ?? {}) },
})

const merged = (labels: Labels, added: Labels): Labels => ({
  ...labels,
  ...Object.fromEntries(
    Object.entries(added).map(([key, values]) => [key, [...new Set([...(labels[key] ?? []), ...values])]]),
  ),
})

/** A key without a value removes all its values. */
const without = (labels: Labels, removed: Labels): Labels =>
  Object.fromEntries(
    Object.entries(labels).flatMap(([key, values]) => {
      const gone = removed[key] ?? []
      const left = gone.includes("") ? [] : values.filter((each) => !gone.includes(each))
      return left.length === 0 ? [] : [[key, left]]
    }),
  )

const withPolicy = (slo: Slo, policy: string): Slo => ({
  ...slo,
  spec: { ...slo.spec, alertPolicies: [...new Set([...(slo.spec.alertPolicies ?? []), policy])] },
})
