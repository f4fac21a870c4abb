import type { ByteReader, ByteWriter } from "./PackedColumn.ts"

/** Writes the names of tracks: how many bytes they take, and then the names, one after the other with a U+0000 between them. */
export const namesToBytes = (writer: ByteWriter, names: ReadonlyArray<string>): void => {
  const bytes = new TextEncoder().encode(names.map((name) => `${name}\u0000`).join(""))
  writer.varint(bytes.length)
  writer.append(bytes)
}

/** Reads what `namesToBytes` has written. */
export const namesFromBytes = (reader: ByteReader): ReadonlyArray<string> => {
  const bytes = reader.take(reader.varint())
  // Most rows that are read one after the other have the names of the row before.
  if (isSame(bytes, latest.bytes)) return latest.names
  const names = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
    .decode(bytes)
    .split("\u0000")
    .slice(0, -1)
  latest = { bytes: bytes.slice(), names }
  return names
}

let latest: { readonly bytes: Uint8Array; readonly names: ReadonlyArray<string> } = {
  bytes: new Uint8Array(),
  names: [],
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}
