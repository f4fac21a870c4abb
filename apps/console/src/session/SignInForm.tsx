import { Button, PasswordInput, TextInput } from "@mantine/core"
import { type FormEvent, useState } from "react"
import { type CallFailed, callOnce, failureOf } from "../api/Call.ts"
import type { Schemas } from "../api/ApiTypes.ts"
import { Notice } from "../shell/Notice.tsx"
import css from "./SignIn.module.css"

/** Where one signs in; with `known`, whom it must be. */
export const SignInForm = ({
  known,
  onSignedIn,
}: {
  readonly known?: Pick<Schemas["ConsoleSession"], "organization" | "clientId">
  readonly onSignedIn: (session: Schemas["ConsoleSession"]) => void
}) => {
  const [organization, setOrganization] = useState(known?.organization ?? "")
  const [clientId, setClientId] = useState(known?.clientId ?? "")
  const [clientSecret, setClientSecret] = useState("")
  const [isBusy, setIsBusy] = useState(false)
  const [failure, setFailure] = useState<CallFailed>()

  const signIn = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    try {
      const body = { organization: organization.trim(), clientId: clientId.trim(), clientSecret }
      onSignedIn(await callOnce("POST /api/console/session", { body }))
    } catch (error) {
      setFailure(failureOf(error))
      setIsBusy(false)
    }
  }

  return (
    <form onSubmit={signIn} className={css.form} aria-label="Sign in">
      {failure !== undefined && (
        <Notice kind="bad" role="alert">
          {failureText(failure)}
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
        readOnly={known !== undefined}
        autoFocus={known === undefined}
        value={organization}
        onChange={(event) => setOrganization(event.currentTarget.value)}
      />
      <TextInput
        label="Client ID"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        withAsterisk={false}
        readOnly={known !== undefined}
        value={clientId}
        onChange={(event) => setClientId(event.currentTarget.value)}
      />
      <PasswordInput
        label="Client secret"
        name="password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        data-autofocus={known !== undefined || undefined}
        value={clientSecret}
        onChange={(event) => setClientSecret(event.currentTarget.value)}
        visibilityToggleButtonProps={{ "aria-label": "Show the secret" }}
      />
      <Button type="submit" loading={isBusy} fullWidth>
        Sign in
      </Button>
    </form>
  )
}

const failureText = (failure: CallFailed): string => {
  if (failure.status === 401) return "Organization, client ID and secret do not fit together."
  if (failure.status === 429) {
    const seconds = failure.retryAfterSeconds
    return `Too many tries. Try again ${seconds === undefined ? "in a moment" : `in ${seconds} s`}.`
  }
  return failure.message
}
