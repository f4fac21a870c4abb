import type { DeliveryRequest } from "@tocsin/api"
import { Stack } from "@mantine/core"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { Notice } from "../components/Notice.tsx"
import { t } from "../language/Text.tsx"

type Shown = DeliveryRequest

/** What one attempt sent, as far as it is known. */
export const RequestView = ({ request, number }: { readonly request: Shown; readonly number: number }) => {
  const attempt = request.attempts.find((each) => each.number === number)
  if (attempt === undefined) {
    return (
      <p className="dim">
        {t(
          "The request of this attempt is unknown: nothing was signed, or an earlier version of the server did not log it.",
        )}
      </p>
    )
  }
  const bodyNote = attempt.isBodyAsSent ? undefined : bodyNotes()[request.bodyState]
  return (
    <Stack gap="sm" miw={0}>
      <Stack gap="xs">
        <h3>{t("Headers")}</h3>
        <CodeBlock text={headerText(attempt.headers)} label={t("Request headers")} isWrapped />
        <p className="dim small">
          {t(
            "The URL and secret values are hidden, and signatures are never stored. The connection adds Host, Content-Length, Accept-Encoding and User-Agent.",
          )}
        </p>
      </Stack>
      <Stack gap="xs">
        <h3>{t("Body")}</h3>
        {bodyNote !== undefined && <Notice kind="warn">{bodyNote}</Notice>}
        {request.body !== undefined && (
          <CodeBlock
            text={request.body}
            label={t("Request body")}
            isWrapped
            isStale={!attempt.isBodyAsSent}
          />
        )}
        {attempt.isBodyAsSent && (
          <p className="dim small">
            {t(
              "Rendered again from the stored event. Its digest is the one that was signed, so it is the body that was sent.",
            )}
          </p>
        )}
      </Stack>
      <Stack gap="xs">
        <h3>{t("Signature base")}</h3>
        <CodeBlock text={attempt.signatureBase} label={t("Signature base")} isWrapped />
      </Stack>
    </Stack>
  )
}

const bodyNotes = (): Readonly<Record<Shown["bodyState"], string>> => ({
  as_sent: t("This attempt sent another body: the alert method was changed between the attempts."),
  changed: t(
    "The alert method or the base URL has changed since. This is the body that would be sent now; what was sent is not stored.",
  ),
  link_hidden: t(
    "The token of the acknowledge link is hidden, so the body cannot be compared with its digest.",
  ),
  method_deleted: t("The alert method was deleted, and the body cannot be rendered without it."),
  too_large: t("The body that the alert method renders now is too large."),
  unknown: t("This may not be the body that was sent."),
})

/** As on the wire; in place of the signature, that it is not stored. */
const headerText = (headers: Shown["attempts"][number]["headers"]): string =>
  headers
    .flatMap(({ name, value }) => [
      `${name}: ${value}`,
      ...(name === "Signature-Input" ? [t("Signature: [not stored]")] : []),
    ])
    .join("\n")
