import type { Credential } from "@tocsin/api"
import { Button, Group } from "@mantine/core"
import { useState } from "react"
import { client } from "../api/Client.ts"
import { api, poll } from "../api/Queries.ts"
import { ConfirmButton } from "../components/Dialog.tsx"
import { EmptyState } from "../components/EmptyState.tsx"
import type { Column } from "../components/ListTable.tsx"
import { Notice } from "../components/Notice.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { rich, t } from "../language/Text.tsx"
import { ListPage } from "../lists/ListPage.tsx"
import { roleName, useIsAdmin, useSession } from "../session/Session.ts"
import { CreateCredential, RotateCredential } from "./CredentialDialogs.tsx"

/** The API credentials of the organization, for its admins. */
const CredentialsPage = () => {
  const isAdmin = useIsAdmin()
  const [isCreating, setIsCreating] = useState(false)
  const query = api.useQuery(
    "get",
    "/api/credentials",
    {},
    { enabled: isAdmin, refetchInterval: poll(refreshMs) },
  )
  return (
    <ListPage
      title={t("Credentials")}
      subtitle={t("Client IDs and secrets that people and programs sign in with.")}
      actions={isAdmin && <Button onClick={() => setIsCreating(true)}>{t("Create credential")}</Button>}
      above={!isAdmin && <OnlyForAdmins />}
      query={query}
      items={query.data?.data}
      columns={useColumns(() => query.refetch())}
      keyOf={({ clientId }) => clientId}
      empty={<EmptyState title={t("No credentials")}>{null}</EmptyState>}
    >
      {isCreating && (
        <CreateCredential onCreated={() => void query.refetch()} onClose={() => setIsCreating(false)} />
      )}
    </ListPage>
  )
}
export default CredentialsPage

const OnlyForAdmins = () => (
  <Notice kind="info">
    {rich(
      "Managing credentials requires the admin role. The operator of this server creates such a credential with <code>tocsin credentials create --organization ORGANIZATION --role admin</code>.",
      { code: (text) => <code>{text}</code> },
    )}
  </Notice>
)

/** Uses of a secret are recorded once a minute. */
const refreshMs = 15_000

const useColumns = (onChanged: () => unknown): ReadonlyArray<Column<Credential>> => {
  const { clientId: own } = useSession()
  return [
    {
      name: t("Client ID"),
      cell: ({ clientId }) => (
        <Group gap="var(--space-2xs) var(--space-xs)">
          <code>{clientId}</code>
          {clientId === own && <span className="dim small">{t("in use by you")}</span>}
        </Group>
      ),
    },
    { name: t("Role"), isLabeled: true, cell: ({ role }) => roleName(role) },
    {
      name: t("Status"),
      cell: ({ isDisabled }) => <StatusBadge status={isDisabled ? "disabled" : "enabled"} />,
    },
    {
      name: t("Created"),
      isLabeled: true,
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      name: t("Last used"),
      isLabeled: true,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === undefined ? (
          <span className="dim">{t("Never")}</span>
        ) : (
          <RelativeTime at={lastUsedAt} />
        ),
    },
    {
      name: t("Actions"),
      cell: (credential) => (
        <CredentialActions
          credential={credential}
          isOwn={credential.clientId === own}
          onChanged={onChanged}
        />
      ),
    },
  ]
}

const CredentialActions = ({
  credential: { clientId, isDisabled, previousSecretExpiresAt },
  isOwn,
  onChanged,
}: {
  readonly credential: Credential
  readonly isOwn: boolean
  readonly onChanged: () => unknown
}) => {
  const [isRotating, setIsRotating] = useState(false)
  const params = { path: { clientId } }
  const change = (send: () => Promise<unknown>) => async () => {
    await send()
    await onChanged()
  }
  return (
    <Group gap="xs">
      {!isDisabled && (
        <Button
          variant="default"
          aria-label={t("Rotate secret of {clientId}", { clientId })}
          onClick={() => setIsRotating(true)}
        >
          {t("Rotate secret")}
        </Button>
      )}
      {!isDisabled && !isOwn && (
        <ConfirmButton
          label={t("Disable")}
          title={t("Disable {clientId}?", { clientId })}
          color="red"
          typed={clientId}
          action={change(() => client.POST("/api/credentials/{clientId}/disable", { params }))}
        >
          <p>
            {t(
              "Its secret, access tokens and sessions stop working within 5 seconds. A disabled credential cannot be enabled again.",
            )}
          </p>
        </ConfirmButton>
      )}
      {!isOwn && (
        <ConfirmButton
          label={t("Delete")}
          title={t("Delete {clientId}?", { clientId })}
          color="red"
          typed={clientId}
          action={change(() => client.DELETE("/api/credentials/{clientId}", { params }))}
        >
          <p>{t("Its secret, access tokens and sessions stop working within 5 seconds.")}</p>
        </ConfirmButton>
      )}
      {previousSecretExpiresAt !== undefined && (
        <span className="dim small">
          {rich("Previous secret expires {time}", {
            time: <RelativeTime at={previousSecretExpiresAt} />,
          })}
        </span>
      )}
      {isRotating && (
        <RotateCredential
          clientId={clientId}
          onRotated={() => void onChanged()}
          onClose={() => setIsRotating(false)}
        />
      )}
    </Group>
  )
}
