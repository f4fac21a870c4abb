import { Switch } from "@mantine/core"
import { NameInput } from "../editor/NameInput.tsx"
import rules from "virtual:rules/AlertMethod"
import { Card } from "../components/Page.tsx"
import { useDraft } from "../editor/Draft.ts"
import { Editor } from "../editor/Editor.tsx"
import type { DraftFields } from "../editor/Fields.ts"
import { GeneralCard } from "../editor/General.tsx"
import { HeaderRows } from "../editor/HeaderRows.tsx"
import { hiddenValue } from "@tocsin/domain/forms"
import { StoredInput } from "../editor/StoredInput.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import { type AlertMethodDefinition, isSecret, newMethod, ownIssues } from "./FormValues.ts"
import { NotificationDetails } from "./NotificationDetails.tsx"
import { NotificationPreview } from "./NotificationPreview.tsx"
import { ProposedTest } from "./ProposedTest.tsx"

/** The form of an alert method beside a test and a preview of its notifications. */
export const AlertMethodForm = ({ edited }: { readonly edited: AlertMethodDefinition | undefined }) => {
  const { apiVersion } = useSession()
  const isNew = edited === undefined
  const draft = useDraft<AlertMethodDefinition>("AlertMethod", {
    rules,
    initial: () => newMethod(apiVersion),
    edited,
    isSecret,
    ownIssues,
  })
  return (
    <Editor
      draft={draft}
      submitLabel={isNew ? t("Create alert method") : t("Save changes")}
      listHref="/alert-methods"
      preview={
        <>
          <ProposedTest draft={draft} />
          <NotificationPreview definition={draft.definition} />
        </>
      }
    >
      <GeneralCard draft={draft} isNew={isNew} />
      <Card title={t("Destination")}>
        <UrlInput draft={draft} />
        <HeaderRows draft={draft} path="spec.webhook.headers" legend={t("Custom headers")} />
      </Card>
      <Card title={t("Content")}>
        <NotificationDetails draft={draft} />
        <Switch
          checked={draft.at(resolutionPath) === true}
          onChange={({ currentTarget }) =>
            draft.put({ [resolutionPath]: currentTarget.checked || undefined })
          }
          label={t("Notify when an alert is resolved")}
          description={t("Sends the event alert.resolved.")}
        />
      </Card>
    </Editor>
  )
}

const resolutionPath = "spec.webhook.sendResolution"

const UrlInput = ({ draft: { put, field } }: { readonly draft: DraftFields }) => {
  const props = field("spec.webhook.url")
  return props.value === hiddenValue ? (
    <StoredInput
      id={props.id}
      error={props.error}
      label={t("URL")}
      description={t("Stored and hidden.")}
      replaceLabel={t("Replace URL")}
      onReplace={() => put({ [props.id]: undefined })}
    />
  ) : (
    <NameInput
      {...props}
      label={t("URL")}
      description={t("Receives an HTTP POST for each notification. Must start with https://.")}
      placeholder="https://hooks.example.com/tocsin"
      type="url"
      required
      withAsterisk={false}
      autoComplete="off"
    />
  )
}
