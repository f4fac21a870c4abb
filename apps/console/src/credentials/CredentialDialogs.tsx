import type { CredentialWithSecret } from "@tocsin/api"
import { Button, NativeSelect, Stack, TextInput } from "@mantine/core"
import { type ReactNode, useState } from "react"
import rules from "virtual:rules/createCredential/clientId"
import { api } from "../api/Queries.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { ActionDialog, Dialog } from "../components/Dialog.tsx"
import { Notice } from "../components/Notice.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"

type WithSecret = CredentialWithSecret

/** Creates a credential, and shows its secret once. */
export const CreateCredential = ({
  onCreated,
  onClose,
}: {
  readonly onCreated: () => void
  readonly onClose: () => void
}) => {
  const [role, setRole] = useState<WithSecret["role"]>("viewer")
  const [clientId, setClientId] = useState("")
  const create = api.useMutation("post", "/api/credentials", { onSuccess: onCreated })
  return (
    <SecretDialog
      title={t("Create credential")}
      submit={t("Create")}
      mutation={create}
      onSubmit={() =>
        create.mutate({ body: { role, ...(clientId.trim() !== "" && { clientId: clientId.trim() }) } })
      }
      onClose={onClose}
    >
      <NativeSelect
        label={t("Role")}
        value={role}
        onChange={({ currentTarget }) => setRole(currentTarget.value as WithSecret["role"])}
        data={[
          { value: "viewer", label: t("Viewer: reads") },
          { value: "editor", label: t("Editor: reads and changes") },
          { value: "admin", label: t("Admin: also manages credentials") },
        ]}
      />
      <TextInput
        label={t("Client ID")}
        description={t("A name such as ci-deploy. Leave it empty for a random one.")}
        value={clientId}
        maxLength={rules.max}
        autoCapitalize="none"
        spellCheck={false}
        onChange={({ currentTarget }) => setClientId(currentTarget.value)}
      />
    </SecretDialog>
  )
}

/** Replaces the secret of a credential, and shows the new one once. */
export const RotateCredential = ({
  clientId,
  onRotated,
  onClose,
}: {
  readonly clientId: string
  readonly onRotated: () => void
  readonly onClose: () => void
}) => {
  const [previousFor, setPreviousFor] = useState("24h")
  const rotate = api.useMutation("post", "/api/credentials/{clientId}/rotate", { onSuccess: onRotated })
  return (
    <SecretDialog
      title={t("Rotate the secret of {clientId}?", { clientId })}
      isDangerous
      submit={t("Rotate secret")}
      mutation={rotate}
      onSubmit={() => rotate.mutate({ params: { path: { clientId } }, body: { previousFor } })}
      onClose={onClose}
    >
      <p>
        {t(
          "Every program that signs in with {clientId} needs the new secret. Access tokens and sessions stay valid.",
          { clientId },
        )}
      </p>
      <NativeSelect
        label={t("The current secret stops working")}
        value={previousFor}
        onChange={({ currentTarget }) => setPreviousFor(currentTarget.value)}
        data={[
          { value: "0s", label: t("Immediately") },
          { value: "1h", label: t("In 1 hour") },
          { value: "24h", label: t("In 24 hours") },
          { value: "168h", label: t("In 7 days") },
        ]}
      />
    </SecretDialog>
  )
}

/** A form whose result has a secret, which it shows instead of the form. */
const SecretDialog = ({
  title,
  isDangerous = false,
  submit,
  mutation: { data, error, isPending },
  onSubmit,
  onClose,
  children,
}: {
  readonly title: string
  readonly isDangerous?: boolean
  readonly submit: string
  readonly mutation: {
    readonly data: WithSecret | undefined
    readonly error: unknown
    readonly isPending: boolean
  }
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}) => {
  if (data !== undefined) {
    return (
      <Dialog
        key="secret"
        title={t("Store the client secret now")}
        buttons={<Button onClick={onClose}>{t("Done")}</Button>}
      >
        <Secret credential={data} />
      </Dialog>
    )
  }
  return (
    <ActionDialog
      key="form"
      title={title}
      submitLabel={submit}
      isDangerous={isDangerous}
      isBusy={isPending}
      error={error}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {children}
    </ActionDialog>
  )
}

const Secret = ({ credential: { clientId, clientSecret } }: { readonly credential: WithSecret }) => {
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
