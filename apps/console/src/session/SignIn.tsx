import { Button, Group, Paper, PasswordInput, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useEffect } from "react"
import { type ApiError, apiErrorOf, type Schemas } from "../api/Client.ts"
import { api } from "../api/Queries.ts"
import { Dialog } from "../components/Dialog.tsx"
import { Bell } from "../components/Icon.tsx"
import { Notice } from "../components/Notice.tsx"

type Session = Schemas["ConsoleSession"]

/** What users see before they sign in. */
export const SignInPage = ({ onSignedIn }: { readonly onSignedIn: (session: Session) => void }) => {
  useEffect(() => {
    document.title = "Sign in – Tocsin"
  }, [])
  return (
    <main className="whole-page">
      <Paper p="xl">
        <Stack gap="lg">
          <Group gap="sm">
            <Bell />
            <h1>Tocsin</h1>
          </Group>
          <SignInForm onSignedIn={onSignedIn} />
          <p className="dim small">
            No credentials? The operator of this server creates them with{" "}
            <code>tocsin credentials create</code>.
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
    title="Your session has expired"
    buttons={
      <Button variant="subtle" color="gray" onClick={onSignOut}>
        Sign in as another user
      </Button>
    }
  >
    <p>Sign in again to continue. Your unsaved changes are kept.</p>
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
  const form = useForm({
    initialValues: {
      organization: user?.organization ?? "",
      clientId: user?.clientId ?? "",
      clientSecret: "",
    },
    transformValues: ({ organization, clientId, clientSecret }) => ({
      organization: organization.trim(),
      clientId: clientId.trim(),
      clientSecret,
    }),
  })
  const signIn = api.useMutation("post", "/api/console/session", { onSuccess: onSignedIn })
  const error: unknown = signIn.error
  return (
    <form onSubmit={form.onSubmit((body) => signIn.mutate({ body }))} aria-label="Sign in">
      <Stack>
        {error !== null && (
          <Notice kind="bad" role="alert">
            {errorText(apiErrorOf(error))}
          </Notice>
        )}
        <TextInput
          {...userInput}
          label="Organization"
          name="organization"
          autoComplete="organization"
          readOnly={user !== undefined}
          autoFocus={user === undefined}
          {...form.getInputProps("organization")}
        />
        <TextInput
          {...userInput}
          label="Client ID"
          name="username"
          autoComplete="username"
          readOnly={user !== undefined}
          {...form.getInputProps("clientId")}
        />
        <PasswordInput
          label="Client secret"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus={user !== undefined || undefined}
          {...form.getInputProps("clientSecret")}
          visibilityToggleButtonProps={{ "aria-label": "Show client secret" }}
        />
        <Button type="submit" loading={signIn.isPending} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}

const userInput = { required: true, withAsterisk: false, autoCapitalize: "none", spellCheck: false }

const errorText = ({ status, retryAfterSeconds, message }: ApiError): string => {
  if (status === 401) return "Invalid organization, client ID or client secret. Check them and try again."
  if (status !== 429) return message
  const wait = retryAfterSeconds === undefined ? "in a moment" : `in ${retryAfterSeconds} s`
  return `Too many sign-in attempts. Try again ${wait}.`
}
