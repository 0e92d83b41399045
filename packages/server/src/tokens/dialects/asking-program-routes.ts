/** The program that a request comes from, as its headers say. */
import type { FastifyRequest } from 'fastify'
import type { AskingProgram } from './login-host.ts'

export const askingProgram = ({ headers }: FastifyRequest): AskingProgram => ({
  host: headers.host ?? '',
  userAgent: headers['user-agent'] ?? '',
})
