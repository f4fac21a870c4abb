import type { CredentialWithSecret } from "@tocsin/api"
import { Button, Stack } from "@mantine/core"
import { NameInput } from "../editor/NameInput.tsx"
import { type ComponentProps, useState } from "react"
import createRules from "virtual:rules/createCredential"
import rotateRules from "virtual:rules/rotateCredential"
import { bodyOf, client } from "../api/Client.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { Dialog } from "../components/Dialog.tsx"
import { Select } from "../components/Filters.tsx"
import { Notice } from "../components/Notice.tsx"
import { BodyDialog } from "../editor/BodyDialog.tsx"
import { ChoiceField } from "../editor/ChoiceField.tsx"
import { t } from "../language/Text.tsx"
import { type SignedIn, useSession } from "../session/Session.ts"

interface NewCredential {
  readonly role: SignedIn["role"]
  readonly clientId?: string
}

/** Creates a credential, and shows its secret once. */
export const CreateCredential = ({
  onCreated,
  onClose,
}: {
  readonly onCreated: () => unknown
  readonly onClose: () => void
}) => (
  <SecretDialog
    title={t("Create credential")}
    submitLabel={t("Create")}
    rules={createRules}
    initial={(): NewCredential => ({ role: "viewer" })}
    send={(body) => bodyOf(client.POST("/api/credentials", { body }))}
    onDone={onCreated}
    onClose={onClose}
  >
    {(draft) => (
      <>
        <ChoiceField draft={draft} path="role" label={t("Role")} names={roleText} />
        <NameInput
          {...draft.field("clientId")}
          label={t("Client ID")}
          description={t("A name such as ci-deploy. Leave it empty for a random one.")}
          maxLength={draft.rules("clientId").max}
        />
      </>
    )}
  </SecretDialog>
)

/** A role with what it may do. */
const roleText = (role: SignedIn["role"]): string =>
  ({
    viewer: t("Viewer: reads"),
    editor: t("Editor: reads and changes"),
    admin: t("Admin: also manages credentials"),
  })[role]

/** Replaces the secret of a credential, and shows the new one once. */
export const RotateCredential = ({
  clientId,
  onRotated,
  onClose,
}: {
  readonly clientId: string
  readonly onRotated: () => unknown
  readonly onClose: () => void
}) => (
  <SecretDialog
    title={t("Rotate the secret of {clientId}?", { clientId })}
    isDangerous
    submitLabel={t("Rotate secret")}
    rules={rotateRules}
    initial={() => ({ previousFor: "24h" })}
    send={(body) =>
      bodyOf(client.POST("/api/credentials/{clientId}/rotate", { params: { path: { clientId } }, body }))
    }
    onDone={onRotated}
    onClose={onClose}
  >
    {(draft, { previousFor }) => (
      <>
        <p>
          {t(
            "Every program that signs in with {clientId} needs the new secret. Access tokens and sessions stay valid.",
            { clientId },
          )}
        </p>
        <Select
          label={t("The current secret stops working")}
          value={previousFor}
          onChange={(next) => draft.put({ previousFor: next })}
          data={[
            { value: "0s", label: t("Immediately") },
            { value: "1h", label: t("In 1 hour") },
            { value: "24h", label: t("In 24 hours") },
            { value: "168h", label: t("In 7 days") },
          ]}
        />
      </>
    )}
  </SecretDialog>
)

/** A form whose result has a secret, which it shows instead of the form. */
const SecretDialog = <B extends object>(
  props: ComponentProps<typeof BodyDialog<B, CredentialWithSecret>>,
) => {
  const { onDone, onClose } = props
  const [created, setCreated] = useState<CredentialWithSecret>()
  return created === undefined ? (
    <BodyDialog
      key="form"
      {...props}
      onDone={(credential) => {
        setCreated(credential)
        void onDone(credential)
      }}
    />
  ) : (
    <Dialog
      key="secret"
      title={t("Store the client secret now")}
      buttons={<Button onClick={onClose}>{t("Done")}</Button>}
    >
      <Secret credential={created} />
    </Dialog>
  )
}

const Secret = ({
  credential: { clientId, clientSecret },
}: {
  readonly credential: CredentialWithSecret
}) => {
  const { organization, baseUrl } = useSession()
  const variables = [
    ["TOCSIN_URL", baseUrl],
    ["TOCSIN_ORGANIZATION", organization],
    ["TOCSIN_CLIENT_ID", clientId],
    ["TOCSIN_CLIENT_SECRET", clientSecret],
  ]
  return (
    <Stack>
      <Notice kind="warn">{t("The secret is shown only now. It cannot be retrieved later.")}</Notice>
      <CodeBlock text={clientSecret} label={t("Client secret")} isWrapped />
      <p>{t("For the command line:")}</p>
      <CodeBlock
        text={variables.map(([name, value]) => `export ${name}='${value}'`).join("\n")}
        label={t("Environment variables")}
        isWrapped
      />
    </Stack>
  )
}
