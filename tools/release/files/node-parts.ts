/** The parts of Node, by the keys of `process.versions`. Licences are from the file LICENSE of Node and its sources. */

export interface NodePart {
  readonly name: string
  /** An identifier of SPDX; undefined if it is in the public domain. */
  readonly licence?: string
  /** Vendor and product in the CPE dictionary, if vulnerabilities are recorded under them. */
  readonly vendor?: string
}

export const NODE_PARTS: Readonly<Record<string, NodePart>> = {
  acorn: { name: 'acorn', licence: 'MIT' },
  ada: { name: 'ada', licence: 'MIT' },
  amaro: { name: 'amaro', licence: 'MIT' },
  ares: { name: 'c-ares', licence: 'MIT', vendor: 'c-ares:c-ares' },
  brotli: { name: 'brotli', licence: 'MIT', vendor: 'google:brotli' },
  cldr: { name: 'cldr', licence: 'Unicode-3.0' },
  icu: { name: 'icu', licence: 'Unicode-3.0', vendor: 'unicode:international_components_for_unicode' },
  libffi: { name: 'libffi', licence: 'MIT' },
  lief: { name: 'lief', licence: 'Apache-2.0' },
  llhttp: { name: 'llhttp', licence: 'MIT', vendor: 'llhttp:llhttp' },
  merve: { name: 'merve', licence: 'MIT' },
  nbytes: { name: 'nbytes', licence: 'MIT' },
  ncrypto: { name: 'ncrypto', licence: 'MIT' },
  nghttp2: { name: 'nghttp2', licence: 'MIT', vendor: 'nghttp2:nghttp2' },
  nghttp3: { name: 'nghttp3', licence: 'MIT' },
  ngtcp2: { name: 'ngtcp2', licence: 'MIT' },
  openssl: { name: 'openssl', licence: 'Apache-2.0', vendor: 'openssl:openssl' },
  simdjson: { name: 'simdjson', licence: 'Apache-2.0' },
  simdutf: { name: 'simdutf', licence: 'MIT' },
  sqlite: { name: 'sqlite', licence: 'blessing', vendor: 'sqlite:sqlite' },
  tz: { name: 'tzdata' },
  undici: { name: 'undici', licence: 'MIT', vendor: 'nodejs:undici' },
  unicode: { name: 'unicode-data', licence: 'Unicode-3.0' },
  uv: { name: 'libuv', licence: 'MIT', vendor: 'libuv:libuv' },
  uvwasi: { name: 'uvwasi', licence: 'MIT' },
  v8: { name: 'v8', licence: 'BSD-3-Clause', vendor: 'google:v8' },
  zlib: { name: 'zlib', licence: 'Zlib', vendor: 'zlib:zlib' },
  zstd: { name: 'zstd', licence: 'BSD-3-Clause', vendor: 'facebook:zstandard' },
}
