/** What operations on brands and models work with; each takes its part. */

