import type { AdjustmentDocument } from "@tocsin/api"
import { Textarea } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import rules from "virtual:rules/BudgetAdjustment"
import { bodyOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { BudgetEffects } from "../budget-adjustments/BudgetEffects.tsx"
import type { Range } from "../chart/Scale.ts"
import { ActionDialog } from "../components/Dialog.tsx"
import { OtherIssues } from "../editor/OtherIssues.tsx"
import { useFields } from "../editor/Body.ts"
import { issueOf, requiredText } from "../editor/Fields.ts"
import { usePreview } from "../editor/Preview.ts"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import { RangeFields, typedRange } from "./RangeFields.tsx"

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
  const { body, fields } = useFields({
    rules,
    initial: () => newAdjustment(apiVersion, { project, name }, range),
  })
  const [isMissing, setIsMissing] = useState(false)
  const { reason } = body.spec
  // What it changes can be seen before it has a reason.
  const previewed = { ...body, spec: { ...body.spec, reason: reason || "?" } }
  const { preview, issues, error } = usePreview("adjustment-preview", previewed, (whole, signal) =>
    bodyOf(client.POST("/api/budget-adjustments/preview", { body: whole, signal })),
  )
  const create = useMutation({
    mutationFn: () => client.PUT("/api/apply", { body }),
    onSuccess: () => onDone(body.metadata.name),
  })
  const draft = fields(
    isMissing && !reason ? [{ path: "spec.reason", message: t("Enter a reason.") }] : issues.map(issueOf),
  )
  return (
    <ActionDialog
      title={t("Exclude this range")}
      submitLabel={t("Exclude range")}
      isBusy={create.isPending}
      isDisabled={issues.length > 0}
      error={error ?? create.error}
      onSubmit={() => (reason ? create.mutate() : setIsMissing(true))}
      onClose={onClose}
    >
      <p>
        {t("A budget adjustment leaves these minutes out of every figure of this SLO, until it is deleted.")}
      </p>
      <RangeFields draft={draft} paths={["spec.period.startTime", "spec.period.endTime"]} />
      <Textarea
        {...draft.field("spec.reason", requiredText)}
        label={t("Reason")}
        rows={2}
        required
        data-autofocus
      />
      <OtherIssues draft={draft} />
      {preview !== undefined && <BudgetEffects effects={preview} isShort />}
    </ActionDialog>
  )
}

/** An adjustment of a range of an SLO that has no reason yet. */
const newAdjustment = (
  apiVersion: string,
  { project, name }: DefinitionKey,
  range: Range,
): AdjustmentDocument => {
  const { from, to } = typedRange(range)
  return {
    apiVersion,
    kind: "BudgetAdjustment",
    metadata: { name: `${name.slice(0, 40)}-excluded-${Date.now().toString(36)}`, project },
    spec: { reason: "", slos: [{ project, name }], period: { startTime: from, endTime: to } },
  }
}
