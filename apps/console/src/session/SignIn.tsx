import type { ConsoleSession } from "@tocsin/api"
import { Button, Group, Paper, PasswordInput, Stack, TextInput } from "@mantine/core"
import { type ChangeEvent, useEffect, useState } from "react"
import { type ApiError, apiErrorOf } from "../api/Client.ts"
import { api } from "../api/Queries.ts"
import { Dialog } from "../components/Dialog.tsx"
import { Bell } from "../components/Icon.tsx"
import { Notice } from "../components/Notice.tsx"
import { rich, t } from "../language/Text.tsx"

type Session = ConsoleSession

/** What users see before they sign in. */
export const SignInPage = ({
  isLinkRejected,
  onSignedIn,
}: {
  /** The user came by a sign-in link that does not work. */
  readonly isLinkRejected: boolean
  readonly onSignedIn: (session: Session) => void
}) => {
  useEffect(() => {
    document.title = t("Sign in – Tocsin")
  }, [])
  return (
    <main className="whole-page">
      <Paper p="xl">
        <Stack gap="lg">
          <Group gap="sm">
            <Bell />
            <h1>Tocsin</h1>
          </Group>
          {isLinkRejected && (
            <Notice kind="warn" role="alert">
              {t("The sign-in link was used, or it has expired. Sign in with a client ID and secret.")}
            </Notice>
          )}
          <SignInForm onSignedIn={onSignedIn} />
          <p className="dim small">
            {rich(
              "No credentials? An admin of your organization or the operator of this server creates them with <code>tocsin credentials create</code>.",
              { code: (text) => <code>{text}</code> },
            )}
          </p>
        </Stack>
      </Paper>
    </main>
  )
}

/** Covers the page after the session has expired; the page and its unsaved input stay. */
export const SignInAgain = ({
  session,
  onSignedIn,
  onSignOut,
}: {
  readonly session: Session
  readonly onSignedIn: (session: Session) => void
  readonly onSignOut: () => void
}) => (
  <Dialog
    title={t("Your session has expired")}
    buttons={
      <Button variant="subtle" color="gray" onClick={onSignOut}>
        {t("Sign in as another user")}
      </Button>
    }
  >
    <p>{t("Sign in again to continue. Your unsaved changes are kept.")}</p>
    <SignInForm user={session} onSignedIn={onSignedIn} />
  </Dialog>
)

/** The sign-in form. `user` fixes who must sign in. */
const SignInForm = ({
  user,
  onSignedIn,
}: {
  readonly user?: Session
  readonly onSignedIn: (session: Session) => void
}) => {
  const [values, setValues] = useState({
    organization: user?.organization ?? "",
    clientId: user?.clientId ?? "",
    clientSecret: "",
  })
  const inputOf = (field: keyof typeof values) => ({
    value: values[field],
    onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) =>
      setValues((entered) => ({ ...entered, [field]: value })),
  })
  const signIn = api.useMutation("post", "/api/console/session", { onSuccess: onSignedIn })
  const error: unknown = signIn.error
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const { organization, clientId, clientSecret } = values
        signIn.mutate({
          body: { organization: organization.trim(), clientId: clientId.trim(), clientSecret },
        })
      }}
      aria-label={t("Sign in")}
    >
      <Stack>
        {error !== null && (
          <Notice kind="bad" role="alert">
            {errorText(apiErrorOf(error))}
          </Notice>
        )}
        <TextInput
          {...userInput}
          label={t("Organization")}
          name="organization"
          autoComplete="organization"
          readOnly={user !== undefined}
          autoFocus={user === undefined}
          {...inputOf("organization")}
        />
        <TextInput
          {...userInput}
          label={t("Client ID")}
          name="username"
          autoComplete="username"
          readOnly={user !== undefined}
          {...inputOf("clientId")}
        />
        <PasswordInput
          label={t("Client secret")}
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus={user !== undefined || undefined}
          {...inputOf("clientSecret")}
          visibilityToggleButtonProps={{ "aria-label": t("Show client secret") }}
        />
        <Button type="submit" loading={signIn.isPending} fullWidth>
          {t("Sign in")}
        </Button>
      </Stack>
    </form>
  )
}

const userInput = { required: true, withAsterisk: false, autoCapitalize: "none", spellCheck: false }

const errorText = ({ status, retryAfterSeconds, message }: ApiError): string => {
  if (status === 401) return t("Invalid organization, client ID or client secret. Check them and try again.")
  if (status !== 429) return message
  return retryAfterSeconds === undefined
    ? t("Too many sign-in attempts. Try again in a moment.")
    : t("Too many sign-in attempts. Try again in {seconds} s.", { seconds: retryAfterSeconds })
}
