#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
console.log(process.version)
