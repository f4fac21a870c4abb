import { Button } from "@mantine/core"
import { useState } from "react"
import { type DefinitionKey, useDisplayNames } from "../api/Definitions.ts"
import { Dialog } from "../components/Dialog.tsx"
import { Select } from "../components/Filters.tsx"
import { t } from "../language/Text.tsx"
import { minuteOf } from "../time/Minute.ts"
import { TimeInput } from "../components/TimeInput.tsx"
import { timeText } from "../time/TimeZone.ts"
import { ExplainedPolicy } from "./PolicyExplanation.tsx"

/** Which conditions of an alert policy of an SLO are met at a minute, and why. */
export const ExplainMinute = ({
  project,
  name,
  policies,
  at,
  onClose,
}: DefinitionKey & {
  readonly policies: ReadonlyArray<string>
  /** The start of the minute, in Unix milliseconds. */
  readonly at: number
  readonly onClose: () => void
}) => {
  const [policy, setPolicy] = useState(policies[0] ?? "")
  const [typed, setTyped] = useState(() => timeText(at))
  const time = Date.parse(typed)
  const policyName = useDisplayNames("alertpolicies", { project, name: [...policies] })
  return (
    <Dialog
      title={t("Explain here")}
      onClose={onClose}
      buttons={
        <Button variant="default" onClick={onClose}>
          {t("Close")}
        </Button>
      }
    >
      <Select
        label={t("Alert policy")}
        value={policy}
        onChange={setPolicy}
        data={policies.map((value) => ({ value, label: policyName({ project, name: value }) }))}
      />
      <TimeInput label={t("Minute")} value={typed} onChange={setTyped} />
      <ExplainedPolicy
        project={project}
        name={name}
        policy={policy}
        at={Number.isNaN(time) ? at : minuteOf(time)}
      />
    </Dialog>
  )
}
