import { Stack, TextInput } from "@mantine/core"
import { type ReactNode, useState } from "react"
import rules from "virtual:rules/AlertSilence"
import { Select } from "../components/Filters.tsx"
import { useFields } from "../editor/Body.ts"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import {
  type SilencedAlerts,
  type SilenceLength,
  silenceLengths,
  silenceLengthText,
  silenceNow,
} from "./SilenceNow.ts"

const description = {
  rules,
  initial: (): { readonly spec: { readonly description?: string } } => ({ spec: {} }),
}

/** What is entered to silence the alerts of several items of a list, and what silences those of one. */
export const useSilenceFields = (): {
  readonly content: ReactNode
  readonly silence: (alerts: SilencedAlerts) => Promise<void>
} => {
  const { apiVersion } = useSession()
  const [length, setLength] = useState<SilenceLength>("1h")
  const { body, fields } = useFields(description)
  const draft = fields()
  return {
    content: (
      <Stack>
        <p>{t("No notifications are sent for the alerts until then. Figures do not change.")}</p>
        <Select
          label={t("Duration")}
          value={length}
          onChange={(value) => setLength(value as SilenceLength)}
          data={silenceLengths.map((value) => ({ value, label: silenceLengthText(value) }))}
        />
        <TextInput
          {...draft.field("spec.description")}
          label={t("Description")}
          description={draft.hint("spec.description")}
          data-autofocus
        />
      </Stack>
    ),
    silence: (alerts) => silenceNow(apiVersion, alerts, length, body.spec.description),
  }
}
