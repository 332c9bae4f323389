#!/bin/sh
# An executor in shell: it writes the file that the step declares.
read -r request
case $request in
*'"type":"version"'*)
	echo '{"type":"version","name":"scribe","version":"1.0"}'
	exit ;;
*'"step":"1.1"'*) echo "Hello" > greeting.txt ;;
*'"step":"1.2"'*) echo "reader" >> greeting.txt ;;
*)
	echo '{"type":"result","ok":false,"error":"this step is not known"}'
	exit ;;
esac
echo "this line is no event, and so it is a remark"
echo '{"type":"usage","calls":1}'
echo '{"type":"result","ok":true,"output":"written"}'
