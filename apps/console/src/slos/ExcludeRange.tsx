import type { AdjustmentDocument } from "@tocsin/api"
import { Textarea } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { bodyOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { BudgetEffects } from "../budget-adjustments/BudgetEffects.tsx"
import type { Range } from "../chart/Scale.ts"
import { ActionDialog } from "../components/Dialog.tsx"
import { IssueTexts } from "../components/IssueTexts.tsx"
import { usePreview } from "../editor/Preview.ts"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import { RangeFields, typedRange, type TypedRange } from "./RangeFields.tsx"

/** Excludes a range from the error budget of an SLO, with a preview of what that changes. */
export const ExcludeRange = ({
  project,
  name,
  range,
  onClose,
  onDone,
}: DefinitionKey & {
  readonly range: Range
  readonly onClose: () => void
  readonly onDone: (adjustment: string) => void
}) => {
  const { apiVersion } = useSession()
  const [typed, setTyped] = useState(() => typedRange(range))
  const [reason, setReason] = useState("")
  const [suffix] = useState(() => Date.now().toString(36))
  const [problem, setProblem] = useState("")
  const definition = definitionOf(apiVersion, { project, name }, typed, reason, suffix)
  // What it changes can be seen before it has a reason.
  const previewed = { ...definition, spec: { ...definition.spec, reason: definition.spec.reason || "?" } }
  const { preview, issues, error } = usePreview("adjustment-preview", previewed, (body, signal) =>
    bodyOf(client.POST("/api/budget-adjustments/preview", { body, signal })),
  )
  const create = useMutation({
    mutationFn: () => client.PUT("/api/apply", { body: definition }),
    onSuccess: () => onDone(definition.metadata.name),
  })
  return (
    <ActionDialog
      title={t("Exclude this range")}
      submitLabel={t("Exclude range")}
      isBusy={create.isPending}
      isDisabled={issues.length > 0}
      error={error ?? create.error}
      onSubmit={() => (reason.trim() === "" ? setProblem(t("Enter a reason.")) : create.mutate())}
      onClose={onClose}
    >
      <p>
        {t("A budget adjustment leaves these minutes out of every figure of this SLO, until it is deleted.")}
      </p>
      <RangeFields value={typed} onChange={setTyped} />
      <Textarea
        label={t("Reason")}
        rows={2}
        required
        withAsterisk={false}
        data-autofocus
        value={reason}
        error={problem}
        onChange={({ currentTarget }) => {
          setProblem("")
          setReason(currentTarget.value)
        }}
      />
      <IssueTexts issues={issues} />
      {preview !== undefined && <BudgetEffects effects={preview} isShort />}
    </ActionDialog>
  )
}

const definitionOf = (
  apiVersion: string,
  { project, name }: DefinitionKey,
  { from, to }: TypedRange,
  reason: string,
  suffix: string,
): AdjustmentDocument => ({
  apiVersion,
  kind: "BudgetAdjustment",
  metadata: { name: `${name.slice(0, 40)}-excluded-${suffix}`, project },
  spec: { reason: reason.trim(), slos: [{ project, name }], period: { startTime: from, endTime: to } },
})
