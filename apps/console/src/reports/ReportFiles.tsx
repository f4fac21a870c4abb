import { Button, type ButtonProps } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { bodyOf, client } from "../api/Client.ts"
import { saveText } from "../chart/SaveChart.ts"
import { ErrorNotice } from "../components/ErrorNotice.tsx"

/** What is signed: the report of an SLO, or the review of many. */
export type Signed = "report" | "review"

const fileTypes = { json: "application/json", csv: "text/csv" } as const

type FileFormat = keyof typeof fileTypes

/** Reads the text of a signed document in a format, in the organization of the session. */
export const signedText = async (of: Signed, id: string, format: FileFormat, signal?: AbortSignal) => {
  const request = {
    params: { path: { id }, query: { format } },
    parseAs: "text" as const,
    ...(signal !== undefined && { signal }),
  }
  return (await (of === "report"
    ? bodyOf(client.GET("/api/reports/{id}", request))
    : bodyOf(client.GET("/api/reviews/{id}", request)))) as unknown as string
}

/** Saves a text as a file once it is read. */
export const SaveButton = ({
  name,
  format,
  read,
  children,
  ...props
}: ButtonProps & {
  readonly name: string
  readonly format: FileFormat
  readonly read: () => Promise<string>
}) => {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => saveText(`${name}.${format}`, fileTypes[format], await read()),
  })
  return (
    <>
      <Button variant="default" {...props} loading={isPending} onClick={() => mutate()}>
        {children}
      </Button>
      {error !== null && <ErrorNotice error={error} />}
    </>
  )
}
