import { TextInput } from "@mantine/core"
import { useState } from "react"
import rules from "virtual:rules/acknowledgeAlert/note"
import { ConfirmButton } from "../components/Dialog.tsx"
import { t } from "../language/Text.tsx"

/** The body of an acknowledgement. */
export interface Acknowledgement {
  readonly note?: string
}

/** An acknowledgement with a note, which can be left out. */
export const acknowledgementOf = (note: string): Acknowledgement => (note.trim() === "" ? {} : { note })

/** What an acknowledgement means, and its note. */
export const AcknowledgeFields = ({
  note,
  onChange,
}: {
  readonly note: string
  readonly onChange: (note: string) => void
}) => (
  <>
    <p className="dim">{t("Until an alert is resolved, it is not sent again and does not escalate.")}</p>
    <TextInput
      label={t("Note")}
      description={t("Optional. Shown with the alert, for example what you are doing about it.")}
      value={note}
      maxLength={rules.max}
      autoComplete="off"
      data-autofocus
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  </>
)

/** A button that acknowledges an alert after it asked for a note. */
export const AcknowledgeButton = ({
  acknowledge,
}: {
  readonly acknowledge: (body: Acknowledgement) => Promise<unknown>
}) => {
  const [note, setNote] = useState("")
  return (
    <ConfirmButton
      label={t("Acknowledge alert")}
      title={t("Acknowledge this alert?")}
      button={{ variant: "filled" }}
      action={async () => {
        await acknowledge(acknowledgementOf(note))
        setNote("")
      }}
    >
      <AcknowledgeFields note={note} onChange={setNote} />
    </ConfirmButton>
  )
}
