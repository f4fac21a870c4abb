import type { HourOfCounts } from "./HourOfCounts.ts"
import { ByteReader, BytesAreInvalid, ByteWriter } from "./PackedColumn.ts"
import { packHour, presenceOfHour, unpackHour } from "./PackedHour.ts"
import { namesFromBytes, namesToBytes } from "./PackedNames.ts"
import type { PresentMinutes } from "./PresentMinutes.ts"

/** The minutes of all tracks of an SLO in one hour, by name. */
export type SloHour = ReadonlyMap<string, HourOfCounts>

/** An hour of an SLO as bytes, and back, without any loss: the version, the names of the tracks, and `packHour` with their places. */
export const packSloHour = (tracks: SloHour): Uint8Array => {
  const names = [...tracks.keys()].toSorted()
  const writer = new ByteWriter()
  writer.byte(version)
  namesToBytes(writer, names)
  writer.append(packHour(new Map(names.flatMap((name, track) => trackOf(tracks, name, track)))))
  return writer.bytes
}

const trackOf = (tracks: SloHour, name: string, track: number) => {
  const hour = tracks.get(name)
  return hour === undefined ? [] : [[track, hour] as const]
}

/** Reads what `packSloHour` has written; throws `BytesAreInvalid` for anything else. */
export const unpackSloHour = (bytes: Uint8Array): SloHour => unpackTracks(bytes, unpackHour)

/** Reads in which minutes the tracks have counts: as `unpackSloHour`, without their values. */
export const presenceOfSloHour = (bytes: Uint8Array): ReadonlyMap<string, PresentMinutes> =>
  unpackTracks(bytes, presenceOfHour)

const unpackTracks = <A>(
  bytes: Uint8Array,
  unpack: (bytes: Uint8Array) => ReadonlyMap<number, A>,
): ReadonlyMap<string, A> => {
  const reader = new ByteReader(bytes)
  const found = reader.byte()
  if (found !== version)
    throw new BytesAreInvalid(`an hour of an SLO has version ${found}; only ${version} is known`)
  const names = namesFromBytes(reader)
  const tracks = new Map<string, A>()
  for (const [track, hour] of unpack(reader.rest())) {
    const name = names[track]
    if (name === undefined) throw new BytesAreInvalid(`track ${track} has no name`)
    tracks.set(name, hour)
  }
  return tracks
}

const version = 1
