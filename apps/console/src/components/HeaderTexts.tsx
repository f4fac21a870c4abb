/** The headers of requests, without the secret values. */
export const HeaderTexts = ({
  headers,
}: {
  readonly headers: ReadonlyArray<{
    readonly name: string
    readonly value?: string | undefined
    readonly isSecret?: boolean | undefined
  }>
}) =>
  headers.map(({ name, value, isSecret }) => (
    <div key={name}>
      <code>
        {name}: {isSecret ? "••••••••" : value}
      </code>
    </div>
  ))
