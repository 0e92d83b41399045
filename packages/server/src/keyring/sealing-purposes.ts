/** What each sealed value is sealed for: its place in the database. A change of the secret key has to know them all. */

export const rootKeyPurpose = (id: number): string => `root-key:${id}`

export const keyPairSealingPurpose = ({ id, purpose }: { id: number; purpose: string }): string =>
  `key-pair:${purpose}:${id}`

/** Of a brand's private key. */
export const signingKeyPurpose = (keyId: string): string => `signing-key:${keyId}`

export const SEAL_CHECK_PURPOSE = 'seal-check'
