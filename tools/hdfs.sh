#!/usr/bin/env bash
# Serves HDFS for tests, by Hadoop's own servers, until stdin ends: prints its address.
# `tools/hdfs.sh`, and then `VERGER_HDFS=ADDRESS pytest tests/files/test_hadoop.py`
# It needs Java 11 or later, and Maven for Hadoop's jars, of 70 MB.
set -euo pipefail
version=3.4.2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

cat > "$place/Serve.java" <<'EOF'
import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

public class Serve {
  public static void main(String[] words) throws Exception {
    File folder = new File(words[0]);
    MiniDFSCluster cluster =
        new MiniDFSCluster.Builder(new Configuration(), folder).numDataNodes(1).build();
    cluster.waitActive();
    System.out.println("hdfs://127.0.0.1:" + cluster.getNameNodePort());
    while (System.in.read() >= 0) {}
    cluster.shutdown(true);
  }
}
EOF

jars=""
for name in org.apache.hadoop:hadoop-client-{api,runtime,minicluster}:$version \
    org.slf4j:slf4j-api:1.7.36 commons-logging:commons-logging:1.3.0; do
    IFS=: read -r group artifact number <<< "$name"
    jar=$HOME/.m2/repository/${group//.//}/$artifact/$number/$artifact-$number.jar
    [ -f "$jar" ] || mvn -q dependency:get -Dtransitive=false -Dartifact="$name" >&2
    jars+=$jar:
done
java -Xmx300m -cp "$jars" "$place/Serve.java" "$place/data"
