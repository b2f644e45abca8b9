#!/usr/bin/env bash
# Prints the class path that lets Spark read and write `s3a://`, and downloads what is missing.
# `SPARK_CLASSPATH=$(tools/s3a.sh)`
# The versions are those that PySpark 4.3 and its Hadoop were built with. It needs Maven, which
# compares checksums, and 600 MB for Amazon's SDK.
set -euo pipefail

jars=""
for name in org.apache.hadoop:hadoop-aws:3.5.0 software.amazon.awssdk:bundle:2.35.4 \
    software.amazon.s3.analyticsaccelerator:analyticsaccelerator-s3:1.3.1 \
    org.apache.spark:spark-hadoop-cloud_2.13:4.1.1; do
    IFS=: read -r group artifact number <<< "$name"
    jar=$HOME/.m2/repository/${group//.//}/$artifact/$number/$artifact-$number.jar
    [ -f "$jar" ] || mvn -q -C dependency:get -Dtransitive=false -Dartifact="$name" >&2
    jars+=${jars:+:}$jar
done
printf '%s\n' "$jars"
