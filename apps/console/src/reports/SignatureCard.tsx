import { useQuery } from "@tanstack/react-query"
import { bodyOf, client } from "../api/Client.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { countText } from "../components/NumberFormat.ts"
import { Card, DescriptionList } from "../components/Page.tsx"
import { verifyEd25519 } from "../deliveries/VerifyRequest.ts"
import { t } from "../language/Text.tsx"
import type { Signed } from "./ReportFiles.tsx"

/** What was signed by which key, whether this browser finds the signature valid, and how to find out without the server. */
export const SignatureCard = ({
  id,
  text,
  of = "report",
}: {
  readonly id: string
  readonly text: string
  readonly of?: Signed
}) => {
  const query = useQuery({
    queryKey: ["signature", of, id],
    queryFn: async ({ signal }) => {
      const request = { params: { path: { id } }, signal }
      const signed = await (of === "report"
        ? bodyOf(client.GET("/api/reports/{id}/signature", request))
        : bodyOf(client.GET("/api/reviews/{id}/signature", request)))
      return { ...signed, isValid: await verifyEd25519(signed.publicKeyPem, signed.signature, text) }
    },
    staleTime: Infinity,
  })
  const { data } = query
  return (
    <Card title={t("Signature")}>
      <QueryError query={query} />
      {data !== undefined && (
        <>
          {data.isValid === undefined ? (
            <Notice kind="warn" role="status">
              {t("This browser cannot verify Ed25519 signatures here. Verify it with the commands below.")}
            </Notice>
          ) : data.isValid ? (
            <Notice kind="ok" role="status">
              {t(
                "The signature is valid. This browser verified that the report has not changed since it was signed.",
              )}
            </Notice>
          ) : (
            <Notice kind="bad" role="alert">
              {t("The signature is not valid. The report was changed after it was signed.")}
            </Notice>
          )}
          <DescriptionList
            properties={[
              [
                t("What was signed"),
                t("The report as JSON, {count} bytes", {
                  count: countText(new TextEncoder().encode(text).length),
                }),
              ],
              [t("Key ID"), <code>{data.keyId}</code>],
              [t("Algorithm"), data.algorithm],
            ]}
          />
          <h3>{t("Signature")}</h3>
          <CodeBlock text={data.signature} label={t("Signature")} isWrapped />
          <h3>{t("Public key")}</h3>
          <CodeBlock text={data.publicKeyPem} label={t("Public key")} />
          <p className="dim small">{t("To verify the report outside the console:")}</p>
          <CodeBlock text={commands(of, id)} label={t("Commands that verify the signature")} />
        </>
      )}
    </Card>
  )
}

const commands = (of: Signed, id: string): string =>
  [
    `tocsin ${of} get ${id} > ${of}.json`,
    `tocsin ${of} get ${id} --format signature > signature.json`,
    `jq -r .signature signature.json | base64 -d > ${of}.sig`,
    "jq -r .publicKeyPem signature.json > key.pem",
    `openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in ${of}.json -sigfile ${of}.sig`,
  ].join("\n")
