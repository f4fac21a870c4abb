import { Button, PasswordInput, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { type ApiError, apiErrorOf, type Schemas } from "../api/Client.ts"
import { api } from "../api/Queries.ts"
import { Notice } from "../components/Notice.tsx"
import css from "./SignIn.module.css"

/** The sign-in form. `user` fixes who must sign in. */
export const SignInForm = ({
  user,
  onSignedIn,
}: {
  readonly user?: Pick<Schemas["ConsoleSession"], "organization" | "clientId">
  readonly onSignedIn: (session: Schemas["ConsoleSession"]) => void
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
    <form
      onSubmit={form.onSubmit((body) => signIn.mutate({ body }))}
      className={css.form}
      aria-label="Sign in"
    >
      {error !== null && (
        <Notice kind="bad" role="alert">
          {errorText(apiErrorOf(error))}
        </Notice>
      )}
      <TextInput
        label="Organization"
        name="organization"
        autoComplete="organization"
        autoCapitalize="none"
        spellCheck={false}
        required
        withAsterisk={false}
        readOnly={user !== undefined}
        autoFocus={user === undefined}
        {...form.getInputProps("organization")}
      />
      <TextInput
        label="Client ID"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        withAsterisk={false}
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
    </form>
  )
}

const errorText = ({ status, retryAfterSeconds, message }: ApiError): string => {
  if (status === 401) return "Invalid organization, client ID or client secret. Check them and try again."
  if (status !== 429) return message
  const wait = retryAfterSeconds === undefined ? "in a moment" : `in ${retryAfterSeconds} s`
  return `Too many sign-in attempts. Try again ${wait}.`
}
