// The domain compiles without the DOM's and Node's types. These few globals exist, with the same meaning, in
// every runtime of JavaScript that a host may be; nothing else of the platform is visible here.

declare class TextEncoder {
  encode(input?: string): Uint8Array
  encodeInto(source: string, destination: Uint8Array): { readonly read: number; readonly written: number }
}

declare class TextDecoder {
  constructor(label?: string, options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean })
  decode(input?: Uint8Array): string
}

declare class URL {
  static canParse(input: string): boolean
  constructor(input: string, base?: string)
  readonly href: string
  readonly protocol: string
  readonly username: string
  readonly password: string
  readonly host: string
  readonly hostname: string
  readonly port: string
  readonly pathname: string
  readonly search: string
  readonly hash: string
}

declare const queueMicrotask: (task: () => void) => void
declare const btoa: (binary: string) => string
declare const atob: (base64: string) => string
