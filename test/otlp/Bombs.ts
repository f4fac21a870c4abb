/** A field of a message, in protobuf. */
const field = (number: number, content: Uint8Array): Buffer => {
  const length: Array<number> = []
  for (let left = content.length; ; left = Math.floor(left / 128)) {
    length.push(left < 128 ? left : (left % 128) + 128)
    if (left < 128) break
  }
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), content])
}
const repeated = (number: number, content: Uint8Array, bytes: number): Buffer => {
  const one = field(number, content)
  return Buffer.concat(Array.from({ length: Math.floor(bytes / one.length) }, () => one))
}
const nothing = new Uint8Array()

/** Near the most that a request of metrics may have after decompression, in bytes. */
export const bombBytes = 2 * 1024 * 1024 - 64

/** Requests of 2 MiB that compress to some kilobytes. */
export const bombs: ReadonlyArray<readonly [what: string, body: Buffer, isRejected: boolean]> = [
  ["resources", repeated(1, nothing, bombBytes), true],
  ["scopes", field(1, repeated(2, nothing, bombBytes)), true],
  ["metrics", field(1, field(2, repeated(2, nothing, bombBytes))), true],
  ["attributes", field(1, field(1, repeated(1, nothing, bombBytes))), true],
  [
    "attributes of attributes",
    field(1, field(1, field(1, field(2, field(6, repeated(1, nothing, bombBytes)))))),
    true,
  ],
  ["unknown fields", Buffer.alloc(bombBytes, Buffer.from([0x78, 0])), false],
]
