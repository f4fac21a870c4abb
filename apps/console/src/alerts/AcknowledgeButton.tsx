import { Button, TextInput } from "@mantine/core"
import { useState } from "react"
import rules from "virtual:rules/acknowledgeAlert"
import { client } from "../api/Client.ts"
import { BodyDialog } from "../editor/BodyDialog.tsx"
import type { DraftFields } from "../editor/Fields.ts"
import { t } from "../language/Text.tsx"

/** What is entered of an acknowledgement. */
export const acknowledgement = { rules, initial: (): { readonly note?: string } => ({}) }

/** Acknowledges an alert. */
export const acknowledge = (id: string, body: ReturnType<typeof acknowledgement.initial>) =>
  client.POST("/api/alerts/{id}/acknowledge", { params: { path: { id } }, body })

/** What an acknowledgement means, and its note. */
export const AcknowledgeFields = ({ draft }: { readonly draft: DraftFields }) => (
  <>
    <p className="dim">{t("Until an alert is resolved, it is not sent again and does not escalate.")}</p>
    <TextInput
      {...draft.field("note")}
      label={t("Note")}
      description={draft.hint("note", t("Shown with the alert, for example what you are doing about it."))}
      maxLength={draft.rules("note").max}
      autoComplete="off"
      data-autofocus
    />
  </>
)

/** A button that acknowledges an alert after it asked for a note. */
export const AcknowledgeButton = ({
  id,
  onDone,
}: {
  readonly id: string
  readonly onDone: () => Promise<unknown>
}) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t("Acknowledge alert")}</Button>
      {isOpen && (
        <BodyDialog
          title={t("Acknowledge this alert?")}
          submitLabel={t("Acknowledge alert")}
          {...acknowledgement}
          send={(body) => acknowledge(id, body)}
          onDone={async () => {
            await onDone()
            setIsOpen(false)
          }}
          onClose={() => setIsOpen(false)}
        >
          {(draft) => <AcknowledgeFields draft={draft} />}
        </BodyDialog>
      )}
    </>
  )
}
